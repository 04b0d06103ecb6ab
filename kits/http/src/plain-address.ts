/** The address itself: without the IPv6 wrapping of an IPv4 one and without a zone. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}
