/** A UDP datagram in an IP packet. */
export interface Datagram {
  /** The port it goes to. */
  readonly port: number
  readonly payload: Buffer
}

const udp = 17
const udpHeader = 8
const ipv6Header = 40

/** Reads the UDP datagram in an IPv4 or IPv6 packet without extension headers; undefined when there is none or it is cut off. */
export function readDatagram(packet: Buffer): Datagram | undefined {
  const at = udpAt(packet)
  if (at === undefined || packet.length < at + udpHeader) return undefined
  const length = packet.readUInt16BE(at + 4)
  if (length < udpHeader || packet.length < at + length) return undefined
  return { port: packet.readUInt16BE(at + 2), payload: packet.subarray(at + udpHeader, at + length) }
}

function udpAt(packet: Buffer): number | undefined {
  const version = (packet[0] ?? 0) >> 4
  if (version === 4) return packet[9] === udp ? ((packet[0] ?? 0) & 0x0f) * 4 : undefined
  if (version === 6) return packet[6] === udp ? ipv6Header : undefined
  return undefined
}
