/** Encodes one DER value. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  const used = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
  return Buffer.concat([Buffer.from([0x80 | used.length]), used])
}

/** Reads the value at the start of these bytes: its tag, its content, and what follows it. Undefined when it is cut short. */
export function readDer(
  bytes: Buffer,
): { readonly tag: number; readonly content: Buffer; readonly rest: Buffer } | undefined {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined) return undefined
  const extra = first < 0x80 ? 0 : first & 0x7f
  if (extra > 4 || bytes.length < 2 + extra) return undefined
  const length = extra === 0 ? first & 0x7f : bytes.readUIntBE(2, extra)
  const end = 2 + extra + length
  if (bytes.length < end) return undefined
  return { tag, content: bytes.subarray(2 + extra, end), rest: bytes.subarray(end) }
}
