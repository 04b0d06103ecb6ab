import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const rate = 8000

/**
 * Writes a WAV file with a tone of 440 Hz in the middle, where the fake service finds "vocals", and one of 880 Hz that is
 * opposite on the two sides, which is what remains.
 */
export async function writeTones(file: string, seconds: number): Promise<void> {
  const frames = Math.round(seconds * rate)
  const data = Buffer.alloc(frames * 4)
  for (let frame = 0; frame < frames; frame += 1) {
    const middle = 8000 * Math.sin((2 * Math.PI * 440 * frame) / rate)
    const side = 8000 * Math.sin((2 * Math.PI * 880 * frame) / rate)
    data.writeInt16LE(Math.round(middle + side), frame * 4)
    data.writeInt16LE(Math.round(middle - side), frame * 4 + 2)
  }
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(2, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 4, 28)
  head.writeUInt16LE(4, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  await writeFile(file, Buffer.concat([head, data]))
}

/** Strength of both tones in any audio file, left side, from 0 to 1. */
export async function tonesOf(file: string): Promise<{ middle: number; side: number; seconds: number }> {
  const args = ['-v', 'error', '-i', file, '-af', 'pan=mono|c0=c0', '-ar', String(rate), '-f', 's16le', '-']
  const { stdout } = await promisify(execFile)('ffmpeg', args, { encoding: 'buffer', maxBuffer: 1 << 26 })
  const samples = Array.from({ length: stdout.length >> 1 }, (_, index) => stdout.readInt16LE(index * 2) / 8000)
  return { middle: strength(samples, 440), side: strength(samples, 880), seconds: samples.length / rate }
}

function strength(samples: readonly number[], frequency: number): number {
  const step = (2 * Math.PI * frequency) / rate
  const sum = (wave: (x: number) => number) =>
    samples.reduce((total, sample, index) => total + sample * wave(step * index), 0)
  return (2 * Math.hypot(sum(Math.sin), sum(Math.cos))) / samples.length
}
