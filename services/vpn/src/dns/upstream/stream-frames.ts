/** A message with the two bytes of length that stand before it in a stream (RFC 1035, 4.2.2). */
export function frame(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(message.length + 2)
  framed[0] = message.length >> 8
  framed[1] = message.length
  framed.set(message, 2)
  return framed
}

/** Puts messages together from a stream's pieces. Keeps at most one unfinished message, 64 KiB. */
export class StreamFrames {
  #rest: Uint8Array = new Uint8Array(0)

  /** The messages that are whole with this piece, each in its own memory. */
  push(piece: Uint8Array): Uint8Array[] {
    const bytes = this.#rest.length === 0 ? piece : joined(this.#rest, piece)
    const messages: Uint8Array[] = []
    let at = 0
    while (bytes.length - at >= 2) {
      const length = (bytes[at]! << 8) | bytes[at + 1]!
      if (bytes.length - at - 2 < length) break
      messages.push(bytes.slice(at + 2, at + 2 + length))
      at += 2 + length
    }
    this.#rest = bytes.slice(at)
    return messages
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
