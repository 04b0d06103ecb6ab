import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createAnalyser } from '../../src/analysis/analyse-audio.ts'
import { decodeWith } from '../../test/music/plain-decoder.ts'

/** `node our-program.ts FILE` prints the tempo of a file as the service finds it, or nothing: a program like the others. */
const [file = ''] = process.argv.slice(2)
const wanted = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file]
const { stdout } = await promisify(execFile)('ffprobe', wanted, { timeout: 20_000 })
const analyser = createAnalyser({ decode: decodeWith('ffmpeg'), slots: 1 })
const { signal } = new AbortController()
const { rawBpm } = await analyser.analyse(file, { signal, timeoutMs: 60_000, durationSeconds: Number(stdout) })
if (rawBpm !== null) process.stdout.write(`${rawBpm}\n`)
await analyser.close()
