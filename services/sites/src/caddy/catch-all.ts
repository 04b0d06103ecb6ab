import type { ConfigOptions } from './desired-state.ts'
import { escapeBraces } from './placeholders.ts'

/** The last route of a server: what a host gets that belongs to no site. Without it Caddy would answer with an empty 200. */
export function catchAllRoute({ catchAll, defaultPage }: ConfigOptions, id: string): object {
  if (catchAll === 'abort') return { '@id': id, handle: [{ handler: 'static_response', abort: true }] }
  const page = defaultPage
    ? { headers: { 'Content-Type': ['text/html; charset=utf-8'] }, body: escapeBraces(defaultPage) }
    : { body: 'There is no such site here.\n' }
  return { '@id': id, handle: [{ handler: 'static_response', status_code: 404, ...page }] }
}
