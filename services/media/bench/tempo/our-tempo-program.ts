import { cutPieces, analysisRate, maxReadSeconds } from '../../src/analysis/audio-pieces.ts'
import { estimateTempo } from '../../src/analysis/estimate-tempo.ts'
import { decodeWith } from '../../test/music/plain-decoder.ts'

/** `node our-tempo-program.mjs FILE` prints the tempo of a file as the service finds it, or nothing: a program like the others. */
const [file = ''] = process.argv.slice(2)
const whole = { startSeconds: 0, lengthSeconds: maxReadSeconds, signal: new AbortController().signal }
const { main, probes } = cutPieces(await decodeWith('ffmpeg')(file, whole), analysisRate)
const { bpm } = estimateTempo(main, analysisRate, probes)
if (bpm !== null) process.stdout.write(`${bpm}\n`)
