import { BlockList, isIP } from 'node:net'

/** Metadata services of clouds: AWS and most others, Alibaba, Azure, Oracle; AWS and Google by IPv6. */
const networks4 = ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32']
/** The last three are 169.254.0.0/16 inside of NAT64, 6to4 and compatible addresses. Mapped ones are looked up as IPv4. */
const networks6 = ['fd00:ec2::254/128', 'fd20:ce::254/128', '64:ff9b::a9fe:0/112', '2002:a9fe::/32', '::a9fe:0/112']

const names = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
])

const list = new BlockList()
for (const network of [...networks4, ...networks6]) {
  const [address = '', length] = network.split('/')
  list.addSubnet(address, Number(length), isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Returns true for the address of a cloud's metadata service, and false for every name. */
export function isMetadataAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Returns true for the address or a known name of a metadata service. Names are not resolved. */
export function isMetadataHost(host: string): boolean {
  return names.has(host.toLowerCase().replace(/\.$/, '')) || isMetadataAddress(host)
}
