import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Writes samples of one or more channels as a WAV file of 32-bit floats. */
export async function writeWav(path: string, rate: number, channels: readonly Float32Array[]): Promise<string> {
  const length = channels[0]?.length ?? 0
  const head = Buffer.alloc(44)
  const frame = channels.length * 4
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + length * frame, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(3, 20)
  head.writeUInt16LE(channels.length, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * frame, 28)
  head.writeUInt16LE(frame, 32)
  head.writeUInt16LE(32, 34)
  head.write('data', 36)
  head.writeUInt32LE(length * frame, 40)
  const samples = new Float32Array(length * channels.length)
  for (const [number, channel] of channels.entries())
    for (let index = 0; index < length; index += 1) samples[index * channels.length + number] = channel[index]!
  await writeFile(path, Buffer.concat([head, Buffer.from(samples.buffer)]))
  return path
}

/** Makes another file of an audio file; `words` say how, between input and output. */
export async function convert(from: string, to: string, words: readonly string[]): Promise<string> {
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', from, ...words, to], { timeout: 30_000 })
  return to
}
