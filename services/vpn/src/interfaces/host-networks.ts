import { readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'

/** A network that a host reaches over a device: by its own address there, or by a route. */
export interface HostNetwork {
  /** CIDR form. */
  readonly network: string
  readonly device: string
}

/** Reads the networks of this host, without its default routes, loopback and link-local ones. */
export async function readHostNetworks(): Promise<readonly HostNetwork[]> {
  const [routes4, routes6] = await Promise.all(['/proc/net/route', '/proc/net/ipv6_route'].map(readOrNothing))
  const found = [...addresses(), ...parseRoutes4(routes4 ?? ''), ...parseRoutes6(routes6 ?? '')]
  return found.filter(({ network, device }) => device !== 'lo' && !isOfTheLink(network))
}

function addresses(): HostNetwork[] {
  return Object.entries(networkInterfaces()).flatMap(([device, list]) =>
    (list ?? []).flatMap(({ cidr, internal }) => (cidr === null || internal ? [] : [{ network: cidr, device }])),
  )
}

/** The routes of `/proc/net/route`, whose numbers are in the byte order of the machine; default routes left out. */
export function parseRoutes4(text: string): HostNetwork[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [device = '', destination = '', , , , , , mask = ''] = line.split('\t')
      const prefix = (Number.parseInt(mask, 16) || 0).toString(2).replaceAll('0', '').length
      if (prefix === 0) return []
      const bytes = [6, 4, 2, 0].map((at) => Number.parseInt(destination.slice(at, at + 2), 16))
      return [{ network: `${bytes.join('.')}/${prefix}`, device }]
    })
}

/** The routes of `/proc/net/ipv6_route`; default routes and those to this host itself left out. */
export function parseRoutes6(text: string): HostNetwork[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', length = '', ...rest] = line.trim().split(/\s+/)
    const prefix = Number.parseInt(length, 16)
    const device = rest.at(-1) ?? ''
    if (address.length !== 32 || !(prefix > 0)) return []
    return [{ network: `${address.replaceAll(/(.{4})(?=.)/g, '$1:')}/${prefix}`, device }]
  })
}

const isOfTheLink = (network: string): boolean => /^(fe[89ab]|ff|169\.254\.|127\.|0*:)/i.test(network)

async function readOrNothing(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
