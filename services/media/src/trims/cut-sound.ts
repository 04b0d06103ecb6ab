import { open } from 'node:fs/promises'
import { invalid } from '../problems.ts'
import type { Ffmpeg } from '../tools/ffmpeg.ts'
import { MediaFailure } from '../tools/media-failure.ts'

/** A stretch of a sound, milliseconds from its beginning. */
export interface Part {
  readonly startMs: number
  readonly endMs: number
}

/** Containers claim up to a tenth of a second more than there is to hear: frames are filled up. That much is silence. */
const filledSeconds = 0.1

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

/** Returns the time limit of a cut: twice what has to be decoded, from 30 s to 5 minutes. */
export const cutLimit = ({ endMs }: Part): number => Math.min(300_000, Math.max(30_000, 2 * endMs))

/**
 * Writes a part of a sound as WAV (PCM, 16 bits, rate and channels of the source), exact to the sample. The source is decoded
 * from its beginning and its samples are counted: seeking lands beside the sample in MP3, AAC and Opus, whose frames depend on
 * those before, and time stamps in WebM are rounded to milliseconds. Throws a problem when the sound ends before the part does.
 */
export async function cutSound(
  ffmpeg: Ffmpeg,
  part: Part,
  { file, output, signal }: { readonly file: string; readonly output: string; readonly signal: AbortSignal },
): Promise<void> {
  const filter = [
    'asetpts=floor(N/SR/TB+0.5)',
    `apad=pad_dur=${filledSeconds}`,
    `atrim=start=${seconds(part.startMs)}:end=${seconds(part.endMs)}`,
    'asetpts=PTS-STARTPTS',
  ].join(',')
  const args = ['-map', '0:a:0', '-af', filter, '-c:a', 'pcm_s16le', '-map_metadata', '-1', '-fflags', '+bitexact']
  await ffmpeg.convert({ inputs: [file], args: [...args, '-f', 'wav'], output, timeoutMs: cutLimit(part), signal })
  const facts = await readWavFacts(output)
  if (facts === undefined) throw new MediaFailure('conversion')
  refuseShort(part, facts)
}

/** Reads how many samples a WAV file has; undefined for another file. */
export async function readWavFacts(file: string) {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0)
    return readWavHeader(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

function refuseShort({ startMs, endMs }: Part, { frames, sampleRate }: { frames: number; sampleRate: number }): void {
  const frameAt = (ms: number) => Math.round((ms * sampleRate) / 1000)
  const missing = frameAt(endMs) - frameAt(startMs) - frames
  if (missing <= 0) return
  if (frames === 0) throw invalid('start lies beyond the end of the track')
  const length = endMs / 1000 - missing / sampleRate - filledSeconds
  throw invalid(`end lies beyond the end of the track, which has ${length.toFixed(3)} seconds`)
}

/**
 * Reads the beginning of a WAV file (chunks `fmt ` and `data` of RIFF, or of RF64 from 4 GiB on); undefined when it is none, or
 * they are not in it.
 */
export function readWavHeader(bytes: Buffer) {
  const isWave = ['RIFF', 'RF64'].includes(bytes.toString('latin1', 0, 4)) && bytes.toString('latin1', 8, 12) === 'WAVE'
  if (!isWave) return undefined
  let format: { channels: number; sampleRate: number; frameBytes: number } | undefined
  /** Length of the data, where 32 bits do not hold it. */
  let longLength: number | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    if (name === 'ds64' && at + 24 <= bytes.length) longLength = Number(bytes.readBigUInt64LE(at + 16))
    if (name === 'fmt ' && at + 24 <= bytes.length) {
      format = {
        channels: bytes.readUInt16LE(at + 10),
        sampleRate: bytes.readUInt32LE(at + 12),
        frameBytes: bytes.readUInt16LE(at + 20),
      }
    } else if (name === 'data' && format !== undefined && format.frameBytes > 0) {
      const { channels, sampleRate, frameBytes } = format
      // Frames are samples of each channel.
      return { channels, sampleRate, frames: Math.floor((longLength ?? length) / frameBytes) }
    }
    // A chunk of an odd length has a byte behind it that does not count.
    at += 8 + length + (length % 2)
  }
  return undefined
}
