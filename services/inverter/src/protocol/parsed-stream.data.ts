import { createFrameParser } from './parser.ts'
import type { Frame } from './frame.ts'

/** Everything a stream came to, its payloads as they are. For tests. */
export interface ParsedStream {
  readonly frames: Frame[]
  readonly damage: ('crc' | 'framing')[]
  readonly bootloader: number
  readonly discardedBytes: number
  readonly crcErrors: number
  readonly framingErrors: number
}

/** Reads chunks with a new parser; `idle` stands for silence on the line. */
export function readChunks(chunks: readonly (Uint8Array | 'idle')[]): ParsedStream {
  const frames: Frame[] = []
  const damage: ('crc' | 'framing')[] = []
  let bootloader = 0
  const parser = createFrameParser({
    onFrame: (frame) => frames.push(frame),
    onDamage: (kind) => damage.push(kind),
    onBootloader: () => (bootloader += 1),
  })
  for (const chunk of chunks) {
    if (chunk === 'idle') parser.idle()
    else parser.push(chunk)
  }
  return { frames, damage, bootloader, ...parser.counters }
}

/** Reads one chunk written in hexadecimal digits. */
export function readHex(hex: string): ParsedStream {
  return readChunks([Uint8Array.fromHex(hex)])
}
