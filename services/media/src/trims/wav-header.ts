/** Sample format of a WAV file. */
export interface WavFacts {
  readonly channels: number
  readonly sampleRate: number
  /** Samples of each channel. */
  readonly frames: number
}

/** Reads the beginning of a WAV file (RIFF chunks `fmt ` and `data`); undefined when it is none, or they are not in it. */
export function readWavHeader(bytes: Buffer): WavFacts | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') return undefined
  let format: { channels: number; sampleRate: number; frameBytes: number } | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    if (name === 'fmt ' && at + 24 <= bytes.length) {
      format = {
        channels: bytes.readUInt16LE(at + 10),
        sampleRate: bytes.readUInt32LE(at + 12),
        frameBytes: bytes.readUInt16LE(at + 20),
      }
    } else if (name === 'data' && format !== undefined && format.frameBytes > 0) {
      const { channels, sampleRate, frameBytes } = format
      return { channels, sampleRate, frames: Math.floor(length / frameBytes) }
    }
    // A chunk of an odd length has a byte behind it that does not count.
    at += 8 + length + (length % 2)
  }
  return undefined
}
