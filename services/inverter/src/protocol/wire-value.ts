/** Layout of a value in a payload. All numbers are big endian. */
export type WireType =
  | 'bool'
  | 'uint8'
  | 'int8'
  | 'enum'
  | 'uint16'
  | 'int16'
  | 'uint32'
  | 'int32'
  | 'float'
  | 'string'
  | 'struct'

/** A value as it is in a payload, before any scaling: a string for `string`, hexadecimal digits for `struct`. */
export type WireValue = number | boolean | string

/** A payload that is not a value of its type, although its checksum was right: it must not be kept. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
  readonly code: 'wrong_width' | 'invalid_float'

  constructor(code: DecodeError['code'], message: string) {
    super(message)
    this.code = code
  }
}

interface NumberLayout {
  readonly width: number
  readonly min: number
  readonly max: number
}

const integers: Record<Exclude<WireType, 'bool' | 'float' | 'string' | 'struct'>, NumberLayout> = {
  uint8: { width: 1, min: 0, max: 0xff },
  int8: { width: 1, min: -0x80, max: 0x7f },
  enum: { width: 1, min: 0, max: 0xff },
  uint16: { width: 2, min: 0, max: 0xffff },
  int16: { width: 2, min: -0x8000, max: 0x7fff },
  uint32: { width: 4, min: 0, max: 0xffff_ffff },
  int32: { width: 4, min: -0x8000_0000, max: 0x7fff_ffff },
}

/**
 * The payload for a value. `width` pads a string with zero bytes to so many, and is the number of bytes of a `bool` or `enum`
 * where a device departs from one. Throws a RangeError for a value the type cannot hold.
 */
export function encodeValue(type: WireType, value: WireValue, options: { width?: number } = {}): Uint8Array {
  const { width } = options
  if (type === 'string') return encodeString(value, width)
  if (type === 'struct') return encodeHex(value)
  if (type === 'float') return encodeFloat(value)
  if (type === 'bool') return encodeInteger(asBit(value), { width: width ?? 1, min: 0, max: 1 })
  const layout = integers[type]
  return encodeInteger(value, type === 'enum' && width !== undefined ? { ...layout, width } : layout)
}

/** The value in a payload. Throws a DecodeError for a length other than the type's, and for a float that is no number. */
export function decodeValue(type: WireType, payload: Uint8Array): WireValue {
  if (type === 'string') return decodeString(payload)
  if (type === 'struct') return payload.toHex()
  if (type === 'float') return decodeFloat(payload)
  if (type === 'bool') return decodeInteger(payload, { width: 1, min: 0, max: 0xff }) !== 0
  return decodeInteger(payload, integers[type])
}

function encodeInteger(value: WireValue, { width, min, max }: NumberLayout): Uint8Array {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw new RangeError(`${String(value)} is no whole number from ${min} to ${max}`)
  const bytes = new Uint8Array(width)
  let rest = value
  for (let at = width - 1; at >= 0; at -= 1) {
    bytes[at] = rest & 0xff
    rest = Math.floor(rest / 256)
  }
  return bytes
}

function decodeInteger(payload: Uint8Array, { width, min }: NumberLayout): number {
  requireWidth(payload, width)
  let value = 0
  for (const byte of payload) value = value * 256 + byte
  return min < 0 && value >= 2 ** (8 * width - 1) ? value - 2 ** (8 * width) : value
}

function encodeFloat(value: WireValue): Uint8Array {
  if (typeof value !== 'number' || !Number.isFinite(Math.fround(value)))
    throw new RangeError(`${String(value)} is no number of single precision`)
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setFloat32(0, value)
  return bytes
}

function decodeFloat(payload: Uint8Array): number {
  requireWidth(payload, 4)
  const value = new DataView(payload.buffer, payload.byteOffset, 4).getFloat32(0)
  if (!Number.isFinite(value)) throw new DecodeError('invalid_float', 'the float in the payload is not a finite number')
  return value
}

function encodeString(value: WireValue, width: number | undefined): Uint8Array {
  if (typeof value !== 'string' || value.includes('\0')) throw new RangeError('not a text without zero characters')
  const text = new TextEncoder().encode(value)
  if (width === undefined) return text
  if (text.length > width) throw new RangeError(`a text of ${text.length} bytes does not fit ${width}`)
  const bytes = new Uint8Array(width)
  bytes.set(text)
  return bytes
}

/** A text ends at its first zero byte; what is not UTF-8 in it is replaced, because some texts are noise on new devices. */
function decodeString(payload: Uint8Array): string {
  const end = payload.indexOf(0)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(end < 0 ? payload : payload.subarray(0, end))
}

function encodeHex(value: WireValue): Uint8Array {
  if (typeof value !== 'string' || !/^(?:[0-9a-f]{2})*$/i.test(value))
    throw new RangeError('not pairs of hexadecimal digits')
  return Uint8Array.fromHex(value)
}

function asBit(value: WireValue): WireValue {
  return typeof value === 'boolean' ? Number(value) : value
}

function requireWidth(payload: Uint8Array, width: number): void {
  if (payload.length !== width)
    throw new DecodeError('wrong_width', `${payload.length} bytes where the type has ${width}`)
}
