/** Longest domain name in wire form, its final zero included. */
export const maxNameLength = 255

/** Each byte in lower case; looking it up takes less time than a branch. */
const lowerCase = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte | 32 : byte))

/**
 * A domain name taken out of a message: wire form, lower case, uncompressed. Filled again for each name, so that none is made.
 * Behind the name there is room for what makes a question's key of it.
 */
export class Name {
  readonly bytes: Uint8Array = new Uint8Array(maxNameLength + 9)
  /** With the final zero. */
  length = 0
  /** Positions of its labels, from the first to the last. */
  readonly labels: Uint8Array = new Uint8Array(128)
  /** Number of labels; 0 for the root. */
  count = 0
}

/**
 * Reads the name that stands at m[at] of the message m[start .. end), compressed or not. Returns where it goes on after the name,
 * or -1 for what is no name. Each pointer has to lead further back than everything read before, so there is no loop; and never
 * into the header, so the first question cannot be compressed (RFC 1035 4.1.4).
 */
export function readName(name: Name, m: Uint8Array, start: number, end: number, at: number): number {
  const { bytes, labels } = name
  let length = 0
  let count = 0
  let after = -1
  let from = at
  let bound = at
  for (;;) {
    if (from >= end) return -1
    const size = m[from]!
    if (size === 0) break
    if (size >= 192) {
      if (from + 1 >= end) return -1
      if (after < 0) after = from + 2
      from = start + (((size & 63) << 8) | m[from + 1]!)
      if (from >= bound || from < start + 12) return -1
      bound = from
      continue
    }
    if (size > 63 || from + size >= end || length + size + 2 > maxNameLength) return -1
    labels[count++] = length
    bytes[length++] = size
    for (const stop = from + size; from < stop;) {
      bytes[length++] = lowerCase[m[++from]!]!
    }
    from += 1
  }
  bytes[length] = 0
  name.length = length + 1
  name.count = count
  return after < 0 ? from + 1 : after
}

/** Returns the position after the name at m[at]; -1 when it goes over the end. Does not follow pointers. */
export function skipName(m: Uint8Array, at: number, end: number): number {
  for (let from = at; from < end;) {
    const size = m[from]!
    if (size === 0) return from + 1
    if (size >= 192) return from + 2 <= end ? from + 2 : -1
    if (size > 63) return -1
    from += size + 1
  }
  return -1
}

/**
 * Writes a name out with dots, without a final one, into `text` (255 bytes), and returns the length. A dot inside a label stays a
 * dot: for matching, not for showing.
 */
export function writeDotted(name: Name, text: Uint8Array): number {
  const { bytes } = name
  const length = name.length - 2
  if (length < 0) return 0
  for (let at = 0; at < length; at++) text[at] = bytes[at + 1]!
  for (let label = 1; label < name.count; label++) text[name.labels[label]! - 1] = 46
  return length
}

/** Returns true if a name is this domain (wire form) or below it. */
export function isWithin(name: Name, domain: Uint8Array): boolean {
  const start = name.length - domain.length
  if (start < 0) return false
  let isLabel = domain.length === 1
  for (let label = 0; label < name.count && !isLabel; label++) isLabel = name.labels[label] === start
  if (!isLabel) return false
  for (let at = 0; at < domain.length; at++) if (name.bytes[start + at] !== domain[at]) return false
  return true
}

/** A name in text, for people; bytes that are no printable characters as `\ddd`, a dot in a label as `\.`. */
export function textOf(name: Name, fromLabel = 0): string {
  let text = ''
  for (let label = fromLabel; label < name.count; label++) {
    const start = name.labels[label]!
    if (text !== '') text += '.'
    for (const byte of name.bytes.subarray(start + 1, start + 1 + name.bytes[start]!)) {
      if (byte === 46 || byte === 92) text += `\\${String.fromCharCode(byte)}`
      else text += byte > 32 && byte < 127 ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`
    }
  }
  return text
}
