/** The parts of an upstream's address. */
export type UpstreamAddress =
  | { readonly scheme: 'http' | 'https' | 'h2c'; readonly host: string; readonly port: number }
  | { readonly scheme: 'unix'; readonly path: string }

/** An upstream's address, or why the text is none. Hosts are lower case, IPv6 without brackets. */
export function readUpstreamUrl(url: string): UpstreamAddress | { readonly problem: string } {
  if (url.startsWith('unix/')) return readUnix(url.slice(5))
  const parts = /^(https?|h2c):\/\/([^/?#@\s]+)\/?$/i.exec(url)
  if (!parts) return { problem: problemOf(url) }
  const [, scheme = '', authority = ''] = parts
  const place = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(authority)
  if (!place) return { problem: 'must hold a host name or address and a port' }
  const [, address6, name, port] = place
  const lower = scheme.toLowerCase() as 'http' | 'https' | 'h2c'
  const number = port === undefined ? (lower === 'https' ? 443 : 80) : Number(port)
  if (number < 1 || number > 65_535) return { problem: 'must have a port from 1 to 65535' }
  return { scheme: lower, host: (address6 ?? name ?? '').toLowerCase(), port: number }
}

function readUnix(path: string): UpstreamAddress | { problem: string } {
  // One spelling per socket, because refused addresses are compared as text.
  const isClean = path.split('/').every((part, index) => index === 0 || !['', '.', '..'].includes(part))
  if (!/^\/[A-Za-z0-9._/-]+$/.test(path) || !isClean)
    return { problem: 'must name a socket by its absolute path: unix//run/app.sock' }
  return { scheme: 'unix', path }
}

function problemOf(url: string): string {
  if (!/^(https?|h2c):\/\//i.test(url)) return 'must start with http://, https://, h2c:// or unix/'
  if (/^\w+:\/\/[^/]*@/.test(url)) return 'must not hold a user name or password'
  return 'must hold no more than scheme, host and port'
}

/** The address in the notation of Caddy's `dial`. A text that is no address gives one that nothing answers at. */
export function dialOf(url: string): string {
  const address = readUpstreamUrl(url)
  if ('problem' in address) return 'hearth-no-upstream.invalid:1'
  if (address.scheme === 'unix') return `unix/${address.path}`
  return address.host.includes(':') ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`
}

/** Returns the scheme of an upstream; plain HTTP for sockets. */
export function schemeOf(url: string): 'http' | 'https' | 'h2c' {
  const address = readUpstreamUrl(url)
  return 'problem' in address || address.scheme === 'unix' ? 'http' : address.scheme
}
