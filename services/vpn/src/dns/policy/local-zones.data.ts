/** A zone that is never sent to an upstream, and the document that says so. */
export interface LocalZone {
  readonly domain: string
  readonly source: string
}

const zonesOf = (source: string, ...domains: readonly string[]): readonly LocalZone[] =>
  domains.map((domain) => ({ domain, source }))

/** `first` to `last` as the leading label of `parent`. */
const numbered = (first: number, last: number, parent: string): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, n) => `${first + n}.${parent}`)

const zeros = (count: number): string => '0.'.repeat(count)

/**
 * Special-use zones (RFC 6761) and reverse zones of addresses that mean something else in every network (RFC 6303): the same as
 * unbound answers by default, and `local`, which belongs to multicast DNS.
 */
export const localZones: readonly LocalZone[] = [
  ...zonesOf('RFC 6761', 'localhost', 'invalid', 'test'),
  ...zonesOf('RFC 6762', 'local'),
  ...zonesOf('RFC 7686', 'onion'),
  ...zonesOf('RFC 8375', 'home.arpa'),
  ...zonesOf('RFC 9462', 'resolver.arpa'),
  ...zonesOf('RFC 9665', 'service.arpa'),
  ...zonesOf('RFC 6303', '10.in-addr.arpa', ...numbered(16, 31, '172.in-addr.arpa'), '168.192.in-addr.arpa'),
  ...zonesOf('RFC 6303', '0.in-addr.arpa', '127.in-addr.arpa', '254.169.in-addr.arpa', '255.255.255.255.in-addr.arpa'),
  ...zonesOf('RFC 6303', '2.0.192.in-addr.arpa', '100.51.198.in-addr.arpa', '113.0.203.in-addr.arpa'),
  ...zonesOf('RFC 7793', ...numbered(64, 127, '100.in-addr.arpa')),
  ...zonesOf('RFC 6303', `${zeros(32)}ip6.arpa`, `1.${zeros(31)}ip6.arpa`, '8.b.d.0.1.0.0.2.ip6.arpa'),
  ...zonesOf('RFC 6303', 'd.f.ip6.arpa', ...['8', '9', 'a', 'b'].map((digit) => `${digit}.e.f.ip6.arpa`)),
]
