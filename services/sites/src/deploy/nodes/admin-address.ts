import { isIP } from 'node:net'
import type { NodeProfile } from '../../caddy/desired-state.ts'
import { isMetadataHost } from '../../metadata-address.ts'

/** Address of the admin endpoint of a Caddy. */
export type AdminAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/** An address that cannot be, or must not be, an admin endpoint; the message says why. */
export class AdminAddressRefused extends Error {
  override readonly name = 'AdminAddressRefused'
}

/** Longest path of a unix socket on Linux, bytes. */
const maxPath = 107

/**
 * Reads `http://HOST:PORT` or `unix//PATH`, as Caddy itself writes them. Throws `AdminAddressRefused`. Whether the host is
 * near enough is decided by `isAdminHost` when its address is known.
 */
export function parseAdminAddress(text: string): AdminAddress {
  const socket = /^unix\/(\/.*)$/.exec(text)?.[1]
  if (socket !== undefined) return unixAddress(socket)
  if (!URL.canParse(text)) throw new AdminAddressRefused('must be http://HOST:PORT or unix//PATH')
  const url = new URL(text)
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username + url.password === ''
  if (url.protocol !== 'http:' || !isBare) throw new AdminAddressRefused('must be http://HOST:PORT without a path')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isMetadataHost(host) || (isIP(host) !== 0 && !isAdminHost(host)))
    throw new AdminAddressRefused(`${host} is not an address of this machine or of a private network`)
  return { kind: 'tcp', host, port: url.port === '' ? 80 : Number(url.port) }
}

function unixAddress(path: string): AdminAddress {
  if (Buffer.byteLength(path) > maxPath)
    throw new AdminAddressRefused(`the path of the socket is longer than ${maxPath} bytes`)
  if (/[\0\n|]/.test(path)) throw new AdminAddressRefused('the path of the socket has characters that cannot be in it')
  return { kind: 'unix', path }
}

/** The address as Caddy and the settings write it. */
export function formatAdminAddress(address: AdminAddress): string {
  if (address.kind === 'unix') return `unix/${address.path}`
  return `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`
}

/** The same as the `listen` of Caddy's admin block. */
export function adminListen(address: AdminAddress): string {
  if (address.kind === 'unix') return `unix/${address.path}`
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`
}

/**
 * Returns true when an IP address may be an admin endpoint: loopback, or a private network. Whoever reaches the endpoint controls the
 * server, so it is never a public one; link-local ones include the metadata services of clouds.
 */
export function isAdminHost(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase()
  if (isMetadataHost(plain)) return false
  if (isIP(plain) === 4)
    return /^(?:127|10)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(
      plain,
    )
  return plain === '::1' || /^f[cd][0-9a-f]{2}:/.test(plain)
}

/** Returns true when only this machine reaches the host. */
export function isLoopbackAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/**
 * The admin block for a node: the one it runs with, so that a change does not move its endpoint. Without one Caddy's default
 * depends on its environment; then the address that works is written down.
 */
export function adminBlockOf(config: unknown, address: AdminAddress): NodeProfile['admin'] {
  const running = (config as { admin?: { listen?: string; origins?: string[]; enforce_origin?: boolean } } | null)
    ?.admin
  if (running?.listen !== undefined) {
    const { listen, origins, enforce_origin: enforceOrigin } = running
    return { listen, ...(origins && { origins }), ...(enforceOrigin && { enforceOrigin }) }
  }
  if (address.kind === 'unix' || isLoopbackAddress(address.host)) return { listen: adminListen(address) }
  return { listen: `0.0.0.0:${address.port}`, origins: [adminListen(address)] }
}
