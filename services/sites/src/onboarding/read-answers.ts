import type { AnswerMembers } from '../sites/answer-schema.ts'
import { plainText, statusOf } from './caddy-values.ts'
import { giveUp } from './import-report.ts'
import { at, itemsOf, Members, membersOf, textsOf, type Place } from './json-place.ts'
import type { SiteReading } from './site-reading.ts'

type Redirect = NonNullable<AnswerMembers['redirect']>
type FixedAnswer = NonNullable<AnswerMembers['respond']>

/** What a handler `static_response` answers. */
export type AnswerReading =
  | { readonly kind: 'redirect'; readonly redirect: Redirect }
  | { readonly kind: 'respond'; readonly respond: FixedAnswer }
  | { readonly kind: 'abort' }

const codes: ReadonlySet<number> = new Set([301, 302, 307, 308])

/** Reads a handler `static_response`. */
export function readAnswer(handler: Place, reading: SiteReading): AnswerReading {
  const members = new Members(handler)
  members.skip('handler')
  if (members.take('abort')?.value === true) return { kind: 'abort' }
  const close = members.take('close')
  const status = statusOf(members.take('status_code')) ?? 200
  const headers = new Map(membersOf(members.take('headers')).map(([name, value]) => [name.toLowerCase(), value]))
  const body = members.take('body')
  for (const member of members.left()) giveUp(member, 'an answer that sites cannot give')
  reading.lost(close, 'that the connection is closed after the answer')
  const location = headers.get('location')
  if (location !== undefined) return { kind: 'redirect', redirect: readRedirect(location, status, [headers, body]) }
  const type = headers.get('content-type')
  headers.delete('content-type')
  for (const value of headers.values()) giveUp(value, 'a header of a fixed answer')
  return { kind: 'respond', respond: readFixed({ status, body, type }) }
}

function readFixed(parts: { status: number; body: Place | undefined; type: Place | undefined }): FixedAnswer {
  const body = parts.body === undefined ? '' : plainText(parts.body)
  return { status: parts.status, body, content_type: parts.type ? plainText(only(parts.type)) : usualType(body) }
}

/** The type Caddy gives an answer that says none. */
function usualType(body: string): string {
  const text = body.trim()
  if (!/^[{[]/.test(text) || text.length <= 2) return 'text/plain; charset=utf-8'
  try {
    JSON.parse(text)
    return 'application/json'
  } catch {
    return 'text/plain; charset=utf-8'
  }
}

function readRedirect(
  location: Place,
  status: number,
  [headers, body]: [ReadonlyMap<string, Place>, Place | undefined],
): Redirect {
  if (!codes.has(status)) giveUp(location, `a redirect with the status ${status}`)
  for (const [name, value] of headers) if (name !== 'location') giveUp(value, 'a header of a redirect')
  if (body !== undefined) giveUp(body, 'a page with a redirect')
  return { ...readTarget(plainText(only(location))), code: status as Redirect['code'] }
}

const ownHost = '{http.request.scheme}://{http.request.hostport}'
const uri = '{http.request.uri}'

/** Where a redirect leads; the path of the request after it is the member `keep_path`. */
export function readTarget(location: string): Pick<Redirect, 'to' | 'keep_path'> {
  if (!location.endsWith(uri)) return { to: location, keep_path: false }
  const base = location.slice(0, -uri.length)
  if (base.startsWith(`${ownHost}/`)) return { to: base.slice(ownHost.length), keep_path: true }
  // A path keeps its host in ours, and one that ends in a slash would lose it.
  const isSame = /^https?:\/\/[^/]/.test(base) && !base.endsWith('/')
  return isSame ? { to: base, keep_path: true } : { to: location, keep_path: false }
}

function only(list: Place): Place {
  const [value, ...more] = itemsOf(list)
  if (value === undefined || more.length > 0 || textsOf(list) === undefined)
    giveUp(list, 'a header with several values')
  return value
}

/** Whether the answer is that of a site in maintenance, which ends when it is switched off. */
export function isMaintenance(handler: Place): boolean {
  if (at(handler, 'handler')?.value !== 'static_response' || at(handler, 'status_code')?.value !== 503) return false
  const headers = membersOf(at(handler, 'headers'))
  return (
    headers
      .map(([name]) => name)
      .sort()
      .join() === 'Cache-Control,Content-Type,Retry-After'
  )
}
