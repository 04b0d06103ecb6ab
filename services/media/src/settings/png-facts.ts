import { crc32, createInflate } from 'node:zlib'
import { Readable } from 'node:stream'

/** Facts from the header of a PNG, read without decoding a pixel. */
export type PngFacts = ReturnType<typeof readPngFacts>

/** Bytes that are no PNG, or not a whole one; `message` says why. */
export class PngError extends Error {
  override readonly name = 'PngError'
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Colour types, with the bits a sample may have: grey, colour, palette, and the first two with an alpha channel. */
const depthsOf: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** The seven pictures of an interlaced one: from which pixel in each direction, and every how many. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/** Walks through all parts of a PNG, checksums included, and reads its header. Throws a `PngError`. */
export function readPngFacts(bytes: Uint8Array) {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!file.subarray(0, signature.length).equals(signature)) throw new PngError('it is not a PNG')
  const [header, ...chunks] = [...chunksOf(file)]
  if (header?.name !== 'IHDR' || header.data.length !== 13) throw new PngError('it has no header')
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = header.data.subarray(8)
  const isKnown = depthsOf[colour]?.includes(depth) === true && compression === 0 && filter === 0 && interlace <= 1
  const width = header.data.readUInt32BE(0)
  const height = header.data.readUInt32BE(4)
  if (!isKnown || width === 0 || height === 0) throw new PngError('its header makes no sense')
  const has = (name: string) => chunks.some((chunk) => chunk.name === name)
  const data = chunks.filter(({ name }) => name === 'IDAT').map((chunk) => chunk.data)
  if (data.length === 0) throw new PngError('it contains no picture')
  if (colour === 3 && !has('PLTE')) throw new PngError('it has no palette')
  const hasAlpha = colour === 4 || colour === 6 || (colour === 3 && has('tRNS'))
  const bits = depth * (channelsOf[colour] ?? 0)
  const unpackedBytes = interlace === 0 ? rowsOf(width, height, bits) : interlacedRowsOf(width, height, bits)
  // `hasAlpha`: a channel or a palette can be transparent; `unpackedBytes`: as the header has it; `data`: packed.
  return { width, height, hasAlpha, isAnimated: has('acTL'), unpackedBytes, data }
}

/** Each row begins with a filter byte. */
function rowsOf(width: number, height: number, bits: number): number {
  return width === 0 ? 0 : height * (1 + Math.ceil((width * bits) / 8))
}

function interlacedRowsOf(width: number, height: number, bits: number): number {
  return passes.reduce((sum, [x, y, everyX, everyY]) => {
    const columns = Math.max(0, Math.ceil((width - x) / everyX))
    return sum + rowsOf(columns, Math.max(0, Math.ceil((height - y) / everyY)), bits)
  }, 0)
}

/** Each part up to the end mark, which must be there. Anything after it is ignored. */
function* chunksOf(data: Buffer): Generator<{ name: string; data: Buffer }> {
  let at = signature.length
  for (let name = ''; name !== 'IEND';) {
    const length = at + 12 > data.length ? Number.POSITIVE_INFINITY : data.readUInt32BE(at)
    const end = at + 12 + length
    if (end > data.length) throw new PngError('it is cut off')
    name = data.toString('latin1', at + 4, at + 8)
    if (!/^[A-Za-z]{4}$/.test(name) || crc32(data.subarray(at + 4, end - 4)) !== data.readUInt32BE(end - 4))
      throw new PngError('it is damaged')
    yield { name, data: data.subarray(at + 8, end - 4) }
    at = end
  }
}

/**
 * Returns true for a picture that unpacks to exactly what its header says. Piece by piece, and no further than that: two megabytes can
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
