import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** Headers that are about one connection and not about what it carries. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers of a message that a proxy hands on. */
export function endToEndHeaders(message: IncomingMessage): IncomingHttpHeaders {
  const isOwn = ownHeadersOf(message)
  return Object.fromEntries(Object.entries(message.headers).filter(([name]) => !isOwn(name)))
}

/** The same as they came, name and value in turn, repeated lines kept apart. */
export function endToEndLines(message: IncomingMessage): string[] {
  const isOwn = ownHeadersOf(message)
  const { rawHeaders } = message
  return rawHeaders.filter((_, index) => !isOwn((rawHeaders[index - (index % 2)] ?? '').toLowerCase()))
}

function ownHeadersOf({ headers }: IncomingMessage): (name: string) => boolean {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  return (name) => hopByHop.has(name) || named.has(name)
}
