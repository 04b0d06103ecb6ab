/** A picture that was checked: its bytes are of the type it says. */
export interface Picture {
  readonly bytes: Uint8Array
  readonly media: 'image/jpeg' | 'image/png' | 'image/webp'
}

/** Facts from the header of a picture. */
type PictureFacts = Pick<Picture, 'media'> & { readonly width: number; readonly height: number }

/** Maximum number of pixels, against decompression bombs. */
const maxPixels = 40_000_000

/** Reads the header of a JPEG, PNG or WebP file; undefined for anything else, and for one with too many pixels. */
export function readPicture(bytes: Uint8Array): PictureFacts | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const facts = readPng(data) ?? readWebp(data) ?? readJpeg(data)
  if (facts === undefined || facts.width < 1 || facts.height < 1) return undefined
  return facts.width * facts.height > maxPixels ? undefined : facts
}

const pngBegin = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')

function readPng(data: Buffer): PictureFacts | undefined {
  if (data.length < 33 || !data.subarray(0, pngBegin.length).equals(pngBegin)) return undefined
  return { media: 'image/png', width: data.readUInt32BE(16), height: data.readUInt32BE(20) }
}

/** Three kinds of WebP, each with its size at another offset. */
function readWebp(data: Buffer): PictureFacts | undefined {
  const textAt = (from: number, to: number) => data.toString('latin1', from, to)
  if (data.length < 30 || textAt(0, 4) !== 'RIFF' || textAt(8, 12) !== 'WEBP') return undefined
  const media = 'image/webp'
  switch (textAt(12, 16)) {
    case 'VP8 ':
      if (data.readUIntBE(23, 3) !== 0x9d012a) return undefined
      return { media, width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      if (data[20] !== 0x2f) return undefined
      const bits = data.readUInt32LE(21)
      return { media, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { media, width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** Markers without a length of their own: restarts, and the one for private use. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/** Begins of a frame that browsers and ffmpeg read: baseline, extended and progressive. */
const frames = new Set([0xc0, 0xc1, 0xc2])
/** Begins of frames of kinds that hardly any program reads. */
const otherFrames = new Set([0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])

/** The size is in the frame's header, behind any number of other segments. */
function readJpeg(data: Buffer): PictureFacts | undefined {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xffd8) return undefined
  let at = 2
  while (at + 9 < data.length && data[at] === 0xff) {
    const marker = data[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isBare(marker)) at += 2
    else if (marker === 0xd9 || marker === 0xda || otherFrames.has(marker)) return undefined
    else if (frames.has(marker))
      return { media: 'image/jpeg', width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) }
    else at += 2 + Math.max(2, data.readUInt16BE(at + 2))
  }
  return undefined
}
