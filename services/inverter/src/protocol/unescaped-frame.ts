import { layoutOf } from './command.ts'
import { crc16, crc16End, crc16Start, crc16Step } from './crc16.ts'
import { escapeByte, startByte, type Frame } from './frame.ts'

/** The frame in unescaped bytes from the command at `begin` to before `end`, checksum included; its checksum is not looked at. */
export function frameFrom(bytes: Uint8Array, begin: number, end: number): Frame {
  const layout = layoutOf(bytes[begin] ?? 0)
  if (layout === undefined) throw new RangeError('no frame begins with this byte')
  const ids = begin + 1 + layout.lengthBytes
  const payload = ids + layout.idBytes
  return {
    command: layout.command,
    address: layout.hasAddress ? unsigned32(bytes, ids) : undefined,
    objectId: unsigned32(bytes, payload - 4),
    payload: copyOf(bytes, payload, end - 2),
  }
}

/** Returns true if the first `length` unescaped bytes end with the checksum of those before. */
export function isVerified(bytes: Uint8Array, length: number): boolean {
  return crc16(bytes, length - 2) === unsigned16(bytes, length - 2)
}

/**
 * Returns how many of the first `length` unescaped bytes are a frame with a right checksum, when its end has to be guessed: all, or
 * all without the separators at the end. A checksum may itself end in zeros, so up to two of them are tried as part of it.
 * Returns 0 when nothing from `shortest` on fits.
 */
export function verifiedLength(bytes: Uint8Array, length: number, shortest: number): number {
  let trimmed = length
  while (trimmed > 0 && bytes[trimmed - 1] === 0) trimmed -= 1
  for (const candidate of [length, trimmed, trimmed + 1, trimmed + 2])
    if (candidate >= shortest && candidate <= length && isVerified(bytes, candidate)) return candidate
  return 0
}

/**
 * Returns the end of the frame whose start byte stands at `start` of a chunk, if it is one of the kind that nearly all are: short,
 * whole, right and without escapes. Returns 0 for all others, which have to be looked at byte by byte.
 */
export function plainFrameEnd(chunk: Uint8Array, start: number): number {
  const layout = layoutOf(chunk[start + 1] ?? 0)
  if (layout === undefined || layout.lengthBytes === 2) return 0
  const counted = chunk[start + 2] ?? 0
  const checksum = start + 3 + counted
  if (counted < layout.idBytes || checksum + 2 > chunk.length) return 0
  let register = crc16Start
  for (let at = start + 1; at < checksum; at += 1) {
    const byte = chunk[at] ?? 0
    if (byte === startByte || byte === escapeByte) return 0
    register = crc16Step(register, byte)
  }
  // These bytes are not the checksum but the beginning of its escaped form.
  const upper = chunk[checksum]
  const lower = chunk[checksum + 1]
  if (upper === escapeByte || upper === startByte || lower === escapeByte || lower === startByte) return 0
  return crc16End(register, 2 + counted) === unsigned16(chunk, checksum) ? checksum + 2 : 0
}

function unsigned16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}

function unsigned32(bytes: Uint8Array, at: number): number {
  return ((unsigned16(bytes, at) << 16) | unsigned16(bytes, at + 2)) >>> 0
}

/** A copy of its own: chunks are large, values are small and kept for long. Most have a few bytes, where a loop is fastest. */
function copyOf(bytes: Uint8Array, begin: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - begin)
  if (copy.length > 32) copy.set(bytes.subarray(begin, end))
  else for (let at = 0; at < copy.length; at += 1) copy[at] = bytes[begin + at] ?? 0
  return copy
}
