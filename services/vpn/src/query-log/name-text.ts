const dot = 46
const backslash = 92

/**
 * A name in wire form as text: labels between dots, no final dot, `.` for the root. A byte that is no visible ASCII character
 * is written `\DDD`, a dot or backslash inside a label with a backslash before it (RFC 1035, 5.1).
 */
export function textOfName(wire: Uint8Array, length: number): string {
  let text = ''
  for (let at = 0; at < length && wire[at]! > 0; at += wire[at]! + 1) {
    if (text !== '') text += '.'
    const end = Math.min(length, at + 1 + wire[at]!)
    for (let k = at + 1; k < end; k++) text += character(wire[k]!)
  }
  return text === '' ? '.' : text
}

function character(byte: number): string {
  if (byte === dot || byte === backslash) return `\\${String.fromCharCode(byte)}`
  if (byte > 32 && byte < 127) return String.fromCharCode(byte)
  return `\\${String(byte).padStart(3, '0')}`
}
