import { Readable } from 'node:stream'
import { createInflate } from 'node:zlib'
import type { PngFacts } from './png-facts.ts'

/**
 * Whether the picture unpacks to exactly what its header says. Piece by piece, and no further than that: two megabytes can
 * unpack to two thousand.
 */
export async function isWhole({ data, unpackedBytes }: Pick<PngFacts, 'data' | 'unpackedBytes'>): Promise<boolean> {
  const unpacked = Readable.from(data).pipe(createInflate())
  let bytes = 0
  try {
    for await (const chunk of unpacked as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > unpackedBytes) return false
    }
  } catch {
    return false
  }
  return bytes === unpackedBytes
}
