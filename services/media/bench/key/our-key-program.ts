import { analysisRate, cutPieces, maxReadSeconds } from '../../src/analysis/audio-pieces.ts'
import { estimateKey } from '../../src/analysis/key/estimate-key.ts'
import { decodeWith } from '../../test/music/plain-decoder.ts'

/** `node our-key-program.mjs FILE` prints place and confidence of the key of a file as the service finds it, or nothing. */
const [file = ''] = process.argv.slice(2)
const whole = { startSeconds: 0, lengthSeconds: maxReadSeconds, signal: new AbortController().signal }
const { main, probes } = cutPieces(await decodeWith('ffmpeg')(file, whole), analysisRate)
const { key, confidence } = estimateKey([main, ...probes], analysisRate)
if (key !== null) process.stdout.write(`${key} ${confidence}\n`)
