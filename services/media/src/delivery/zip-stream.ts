import { crc32 } from 'node:zlib'

/** A file to put into an archive. */
export interface ZipEntry {
  readonly name: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
  readonly open: () => Promise<AsyncIterable<Uint8Array>>
}

/** Longest stretch of plain data in a deflate stream. */
const blockSize = 65_535
/** Sizes and offsets from here on need the fields of ZIP64. */
const zip64From = 0xffff_ffff
/** Names are UTF-8; checksum and sizes follow the data. */
const flags = 0x0808
/** Deflate, in blocks that are not compressed: unlike stored data, it can be read while it comes without its size known. */
const method = 8
const [plainVersion, zip64Version] = [20, 45]

interface Written extends ZipEntry {
  readonly bytes: Buffer
  readonly offset: number
  readonly crc: number
  readonly packed: number
}

/**
 * Writes files into a ZIP archive as they are read, without compression and without keeping any of their content. Each entry is
 * taken when its turn comes. Throws when a file has another size than its entry says.
 */
export async function* zipStream(
  entries: AsyncIterable<ZipEntry>,
  limits: { readonly zip64From: number } = { zip64From },
): AsyncGenerator<Uint8Array> {
  const written: Written[] = []
  let offset = 0
  for await (const entry of entries) {
    const begin = offset
    const bytes = Buffer.from(entry.name)
    const packed = entry.size + 5 * Math.max(1, Math.ceil(entry.size / blockSize))
    const isLong = packed >= limits.zip64From
    const head = localHeader(entry, bytes, isLong)
    yield head
    let crc = 0
    for await (const part of plainBlocks(entry, (chunk) => (crc = crc32(chunk, crc)))) yield part
    const end = descriptor({ crc, packed, size: entry.size }, isLong)
    yield end
    offset += head.length + packed + end.length
    written.push({ ...entry, bytes, offset: begin, crc, packed })
  }
  const directory = Buffer.concat(written.map((entry) => directoryEntry(entry, limits.zip64From)))
  yield directory
  yield ending({ count: written.length, size: directory.length, offset }, limits.zip64From)
}

/** Writes the content of a file as blocks of a deflate stream that are not compressed. */
async function* plainBlocks(entry: ZipEntry, onChunk: (chunk: Uint8Array) => void): AsyncGenerator<Uint8Array> {
  let left = entry.size
  let inBlock = 0
  if (left === 0) yield blockHeader(0, true)
  for await (const chunk of await entry.open()) {
    if (chunk.length > left) throw new Error(`${entry.name} is longer than ${entry.size} bytes`)
    onChunk(chunk)
    for (let position = 0; position < chunk.length;) {
      if (inBlock === 0) {
        inBlock = Math.min(blockSize, left)
        yield blockHeader(inBlock, inBlock === left)
      }
      const part = chunk.subarray(position, position + inBlock)
      yield part
      position += part.length
      inBlock -= part.length
      left -= part.length
    }
  }
  if (left > 0) throw new Error(`${entry.name} ends ${left} bytes early`)
}

function blockHeader(length: number, isLast: boolean): Buffer {
  const header = Buffer.alloc(5)
  header.writeUInt8(isLast ? 1 : 0, 0)
  header.writeUInt16LE(length, 1)
  header.writeUInt16LE(~length & 0xffff, 3)
  return header
}

function localHeader(entry: ZipEntry, name: Buffer, isLong: boolean): Buffer {
  const extra = isLong ? zip64Field([0, 0]) : Buffer.alloc(0)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x0403_4b50, 0)
  header.writeUInt16LE(isLong ? zip64Version : plainVersion, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(method, 8)
  header.writeUInt32LE(dosTime(entry.modifiedAt), 10)
  if (isLong) header.fill(0xff, 18, 26)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, name, extra])
}

function descriptor(facts: { crc: number; packed: number; size: number }, isLong: boolean): Buffer {
  const end = Buffer.alloc(isLong ? 24 : 16)
  end.writeUInt32LE(0x0807_4b50, 0)
  end.writeUInt32LE(facts.crc, 4)
  for (const [index, value] of [facts.packed, facts.size].entries())
    if (isLong) end.writeBigUInt64LE(BigInt(value), 8 + 8 * index)
    else end.writeUInt32LE(value, 8 + 4 * index)
  return end
}

function directoryEntry({ bytes, crc, packed, size, offset, modifiedAt }: Written, limit: number): Buffer {
  const isLong = packed >= limit || offset >= limit
  const extra = isLong ? zip64Field([size, packed, offset]) : Buffer.alloc(0)
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x0201_4b50, 0)
  header.writeUInt16LE(isLong ? zip64Version : plainVersion, 4)
  header.writeUInt16LE(isLong ? zip64Version : plainVersion, 6)
  header.writeUInt16LE(flags, 8)
  header.writeUInt16LE(method, 10)
  header.writeUInt32LE(dosTime(modifiedAt), 12)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(isLong ? zip64From : packed, 20)
  header.writeUInt32LE(isLong ? zip64From : size, 24)
  header.writeUInt16LE(bytes.length, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE(isLong ? zip64From : offset, 42)
  return Buffer.concat([header, bytes, extra])
}

function ending(directory: { count: number; size: number; offset: number }, limit: number): Buffer {
  const { count, size, offset } = directory
  const isLong = offset >= limit || count >= 0xffff
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x0605_4b50, 0)
  end.writeUInt16LE(isLong ? 0xffff : count, 8)
  end.writeUInt16LE(isLong ? 0xffff : count, 10)
  end.writeUInt32LE(isLong ? zip64From : size, 12)
  end.writeUInt32LE(isLong ? zip64From : offset, 16)
  return isLong ? Buffer.concat([longEnding(directory), end]) : end
}

function longEnding({ count, size, offset }: { count: number; size: number; offset: number }): Buffer {
  const end = Buffer.alloc(76)
  end.writeUInt32LE(0x0606_4b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(zip64Version, 12)
  end.writeUInt16LE(zip64Version, 14)
  for (const [index, value] of [count, count, size, offset].entries())
    end.writeBigUInt64LE(BigInt(value), 24 + 8 * index)
  // Says where this record is.
  end.writeUInt32LE(0x0706_4b50, 56)
  end.writeBigUInt64LE(BigInt(offset + size), 64)
  end.writeUInt32LE(1, 72)
  return end
}

function zip64Field(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length)
  field.writeUInt16LE(1, 0)
  field.writeUInt16LE(8 * values.length, 2)
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
  return field
}

/** Date and time in UTC as archives have them: two seconds apart, from 1980 to 2107. */
function dosTime(time: number): number {
  const date = new Date(Math.min(Math.max(time, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)))
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return day * 65_536 + clock
}
