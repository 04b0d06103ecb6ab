import { BlockList, isIP } from 'node:net'

/** Returns the reason why a text is no network, or undefined. An address alone stands for itself. */
export function networkProblem(text: string): string | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? []
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0) return `"${text.slice(0, 64)}" must be an address or a network like 192.168.0.0/16`
  if (length !== undefined && Number(length) > (family === 4 ? 32 : 128)) return `"${text}" has too long a prefix`
  return undefined
}

/** Returns true if an address lies in one of the networks, which must be ones (see `networkProblem`). A name does not, nor does a text that is no address. */
export function isNetworkMember(host: string, networks: readonly string[]): boolean {
  const family = isIP(host)
  if (family === 0) return false
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', length] = network.split('/')
    const isSix = address.includes(':')
    list.addSubnet(address, Number(length ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4')
  }
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6')
}
