import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { benchRate } from './candidate.ts'

/** Decodes all of a file with ffmpeg: mono, at the rate of the bench. */
export async function decodeAll(file: string): Promise<Float32Array> {
  const words = ['-v', 'error', '-nostdin', '-i', file, '-ac', '1', '-ar', String(benchRate), '-f', 'f32le', 'pipe:1']
  const options = { encoding: 'buffer', maxBuffer: 1024 ** 3, timeout: 60_000 } as const
  const { stdout } = await promisify(execFile)('ffmpeg', words, options)
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length))
}
