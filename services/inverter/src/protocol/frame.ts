import { codeOf, layoutOf, type Command } from './command.ts'
import { crc16 } from './crc16.ts'

/** Begins a frame; the only byte that is never escaped. */
export const startByte = 0x2b

/** Put before every start byte and every one of itself after the start of a frame. */
export const escapeByte = 0x2d

/** Maximum number of unescaped bytes in a frame, from the command to the checksum. */
export const maxFrameBytes = 4096

/** One message of the wire protocol, unescaped and with its checksum taken off. */
export interface Frame {
  readonly command: Command
  /** Network id of a device in a plant; undefined for the device at the other end of the connection. */
  readonly address: number | undefined
  readonly objectId: number
  /** Empty for the two kinds of read. */
  readonly payload: Uint8Array
}

/**
 * The bytes of a frame, without a separator before it. A write or response whose payload does not fit a length field of one
 * byte becomes the long form. Throws a RangeError for an id, address or payload that no frame can carry.
 */
export function encodeFrame(frame: Frame): Uint8Array {
  const escaped = escapedBytes(encodeBody(frame))
  const bytes = new Uint8Array(1 + escaped.length)
  bytes[0] = startByte
  bytes.set(escaped, 1)
  return bytes
}

/** The bytes with an escape byte before each that needs one. */
export function escapedBytes(bytes: Uint8Array): Uint8Array {
  let count = bytes.length
  for (const byte of bytes) if (byte === startByte || byte === escapeByte) count += 1
  const escaped = new Uint8Array(count)
  let at = 0
  for (const byte of bytes) {
    if (byte === startByte || byte === escapeByte) escaped[at++] = escapeByte
    escaped[at++] = byte
  }
  return escaped
}

/** The bytes of a request without payload. Throws a RangeError for an id or address that is no unsigned 32-bit number. */
export function encodeRequest(kind: 'read' | 'read-periodically', objectId: number, address?: number): Uint8Array {
  return encodeFrame({ command: kind, address, objectId, payload: nothing })
}

const nothing = new Uint8Array(0)

/** Largest number of counted bytes in the short form. */
const shortLimit = 0xff

function encodeBody(frame: Frame): Uint8Array {
  const { address, objectId, payload } = frame
  const hasAddress = address !== undefined
  const counted = (hasAddress ? 8 : 4) + payload.length
  const code = codeOf(formFor(frame, counted), hasAddress)
  const lengthBytes = layoutOf(code)?.lengthBytes ?? 1
  const length = 1 + lengthBytes + counted + 2
  if (length > maxFrameBytes) throw new RangeError(`a payload of ${payload.length} bytes does not fit a frame`)
  const body = new Uint8Array(length)
  const view = new DataView(body.buffer)
  view.setUint8(0, code)
  if (lengthBytes === 1) view.setUint8(1, counted)
  else view.setUint16(1, counted)
  let at = 1 + lengthBytes
  if (hasAddress) {
    view.setUint32(at, unsigned32(address, 'address'))
    at += 4
  }
  view.setUint32(at, unsigned32(objectId, 'object id'))
  body.set(payload, at + 4)
  view.setUint16(length - 2, crc16(body, length - 2))
  return body
}

function formFor({ command, payload }: Frame, counted: number): Command {
  if (command === 'read' || command === 'read-periodically') {
    if (payload.length > 0) throw new RangeError(`a ${command} has no payload`)
    return command
  }
  if (counted <= shortLimit) return command
  return command === 'write' ? 'long-write' : command === 'response' ? 'long-response' : command
}

function unsigned32(value: number, what: string): number {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
    throw new RangeError(`${value} is no ${what}: it must be an unsigned 32-bit number`)
  return value
}
