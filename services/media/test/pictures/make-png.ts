import { crc32, deflateSync } from 'node:zlib'

/** One part of a PNG, with its length and checksum. */
export function pngChunk(name: string, data: Uint8Array = new Uint8Array()): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(data.length, 0)
  numbers.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)])
}

/** Properties of a test picture. */
export interface PngWish {
  readonly width: number
  readonly height: number
  /** 0 grey, 2 colour, 3 palette, 4 grey with alpha, 6 colour with alpha; 6 when left out. */
  readonly colour?: 0 | 2 | 3 | 4 | 6
  readonly depth?: 8 | 16
  /** The alpha of every pixel, 0 to 255; 128 when left out. */
  readonly alpha?: number
  readonly red?: number
  /** Parts between the header and the picture. */
  readonly extra?: readonly Buffer[]
  /** Bytes in place of the picture's data. */
  readonly content?: Buffer
  readonly isInterlaced?: boolean
}

const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const

/** A PNG of one colour, byte by byte: of any kind, and wrong in any way a test wants. */
export function makePng(wish: PngWish): Buffer {
  const { width, height, colour = 6, depth = 8, alpha = 128, red = 200, extra = [] } = wish
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, wish.isInterlaced === true ? 1 : 0], 8)
  const pixel = Array.from({ length: channels[colour] }, (_, index) => {
    const value = index === channels[colour] - 1 && (colour === 4 || colour === 6) ? alpha : index === 0 ? red : 0
    return depth === 16 ? [value, value] : [value]
  }).flat()
  const rows = () => {
    const row = Buffer.alloc(width * pixel.length, Buffer.from(colour === 3 ? [0] : pixel))
    return Buffer.concat(Array.from({ length: height }, () => [Buffer.of(0), row]).flat())
  }
  const content = wish.content ?? deflateSync(rows())
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...(colour === 3 ? [pngChunk('PLTE', Buffer.from([red, 0, 0]))] : []),
    ...extra,
    pngChunk('IDAT', content),
    pngChunk('IEND'),
  ])
}
