/**
 * Messages of the kernel's packet queues over netlink: `linux/netfilter/nfnetlink_queue.h`, `linux/netlink.h`. Lengths and types
 * are in the machine's order, which is little-endian; what is part of the queue itself is big-endian.
 */
const queueSubsystem = 3
const types = { packet: 0, verdict: 1, config: 2 } as const
const configAttributes = { command: 1, parameters: 2, maxLength: 3, mask: 4, flags: 5 } as const
const packetAttributes = { header: 1, payload: 10 } as const
const verdictHeader = 2
const accepted = 1
const copyPacket = 2
const bindCommand = 1
/** The kernel lets packets through that do not fit into the queue. */
const failOpen = 1

const headLength = 16
const familyLength = 4
const requestWithAnswer = 1 | 4
const request = 1
const errorType = 2

/** A packet that waits for a verdict. */
export interface QueuedPacket {
  readonly id: number
  /** The packet from its IP header on. */
  readonly bytes: Buffer
}

/** What the kernel said: a packet, or the answer to a request with its error number, 0 for none. */
export type QueueMessage = { readonly packet: QueuedPacket } | { readonly errno: number }

/** Bytes of a packet that are handed over: any handshake with its headers. */
const handedOver = 256
/** Packets that may wait in a queue. */
export const queueLength = 512

const config = { type: types.config, flags: requestWithAnswer }

/** Requests that make this socket the owner of a queue. Each is answered with an error number. */
export function encodeBind(queue: number): Buffer[] {
  return [
    encode(config, queue, [attribute(configAttributes.command, Buffer.of(bindCommand, 0, 0, 0))]),
    encode(config, queue, [
      attribute(configAttributes.parameters, Buffer.concat([big32(handedOver), Buffer.of(copyPacket)])),
      attribute(configAttributes.maxLength, big32(queueLength)),
      attribute(configAttributes.mask, big32(failOpen)),
      attribute(configAttributes.flags, big32(failOpen)),
    ]),
  ]
}

/** Lets a packet go on its way. There is no answer. */
export function encodeAccept(queue: number, id: number): Buffer {
  const verdict = Buffer.concat([big32(accepted), big32(id)])
  return encode({ type: types.verdict, flags: request }, queue, [attribute(verdictHeader, verdict)])
}

/** Reads the messages of a datagram; what is cut off or unknown is left out. */
export function decodeMessages(datagram: Buffer): QueueMessage[] {
  const messages: QueueMessage[] = []
  for (let at = 0; at + headLength <= datagram.length;) {
    const length = datagram.readUInt32LE(at)
    if (length < headLength || at + length > datagram.length) break
    const message = decodeMessage(datagram.readUInt16LE(at + 4), datagram.subarray(at + headLength, at + length))
    if (message !== undefined) messages.push(message)
    at += padded(length)
  }
  return messages
}

function decodeMessage(type: number, body: Buffer): QueueMessage | undefined {
  if (type === errorType) return body.length < 4 ? undefined : { errno: Math.abs(body.readInt32LE(0)) }
  if (type !== typeOf(types.packet)) return undefined
  const attributes = decodeAttributes(body.subarray(familyLength))
  const header = attributes.get(packetAttributes.header)
  if (header === undefined || header.length < 4) return undefined
  return { packet: { id: header.readUInt32BE(0), bytes: attributes.get(packetAttributes.payload) ?? Buffer.alloc(0) } }
}

function decodeAttributes(bytes: Buffer): Map<number, Buffer> {
  const attributes = new Map<number, Buffer>()
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = bytes.readUInt16LE(at)
    if (length < 4 || at + length > bytes.length) break
    // The two highest bits are flags.
    attributes.set(bytes.readUInt16LE(at + 2) & 0x3fff, bytes.subarray(at + 4, at + length))
    at += padded(length)
  }
  return attributes
}

function encode(
  { type, flags }: { type: number; flags: number },
  queue: number,
  attributes: readonly Buffer[],
): Buffer {
  const body = Buffer.concat(attributes)
  const head = Buffer.alloc(headLength + familyLength)
  head.writeUInt32LE(head.length + body.length, 0)
  head.writeUInt16LE(typeOf(type), 4)
  head.writeUInt16LE(flags, 6)
  head.writeUInt16BE(queue, headLength + 2)
  return Buffer.concat([head, body])
}

function attribute(type: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(padded(4 + value.length))
  bytes.writeUInt16LE(4 + value.length, 0)
  bytes.writeUInt16LE(type, 2)
  value.copy(bytes, 4)
  return bytes
}

const typeOf = (type: number): number => (queueSubsystem << 8) | type
const padded = (length: number): number => (length + 3) & ~3

function big32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
