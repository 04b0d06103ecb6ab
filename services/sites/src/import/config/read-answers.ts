import { parseJson } from '@hearth/runtime'
import { canonicalJson } from '../../caddy/canonical-json.ts'
import { errorPageRoute } from '../../caddy/http-servers.ts'
import type { AnswerMembers } from '../../sites/proxy-schema.ts'
import type { SiteRecord } from '../../sites/schema.ts'
import { literalText, plainBraces, plainText, statusOf } from './caddy-values.ts'
import {
  at,
  giveUp,
  isObject,
  itemsOf,
  type JsonLocation,
  Members,
  membersOf,
  textOf,
  textsOf,
} from './json-location.ts'
import type { SiteReading } from './site-reading.ts'

type Redirect = NonNullable<AnswerMembers['redirect']>

/** Answer of a handler `static_response`. */
export type AnswerReading =
  | { readonly kind: 'redirect'; readonly redirect: Redirect }
  | { readonly kind: 'respond'; readonly respond: NonNullable<AnswerMembers['respond']> }
  | { readonly kind: 'abort' }

const codes: ReadonlySet<number> = new Set([301, 302, 307, 308])

/** Reads a handler `static_response`. */
export function readAnswer(handler: JsonLocation, reading: SiteReading): AnswerReading {
  const members = new Members(handler, 'handler')
  if (members.take('abort')?.value === true) return { kind: 'abort' }
  const close = members.take('close')
  const status = statusOf(members.take('status_code')) ?? 200
  const headers = new Map(membersOf(members.take('headers')).map(([name, value]) => [name.toLowerCase(), value]))
  const body = members.take('body')
  members.refuseOthers('an answer that sites cannot give')
  reading.lost(close, 'that the connection is closed after the answer')
  const location = headers.get('location')
  if (location !== undefined) return { kind: 'redirect', redirect: readRedirect(location, status, [headers, body]) }
  const type = headers.get('content-type')
  headers.delete('content-type')
  for (const value of headers.values()) giveUp(value, 'a header of a fixed answer')
  const page = body === undefined ? '' : plainText(body)
  return {
    kind: 'respond',
    respond: { status, body: page, content_type: type ? plainText(only(type)) : usualType(page) },
  }
}

/** The type Caddy gives an answer that says none. */
function usualType(body: string): string {
  const text = body.trim()
  const isJson = /^[{[]/.test(text) && text.length > 2 && parseJson(text) !== undefined
  return isJson ? 'application/json' : 'text/plain; charset=utf-8'
}

function readRedirect(
  location: JsonLocation,
  status: number,
  [headers, body]: [ReadonlyMap<string, JsonLocation>, JsonLocation | undefined],
): Redirect {
  if (!codes.has(status)) giveUp(location, `a redirect with the status ${status}`)
  for (const [name, value] of headers) if (name !== 'location') giveUp(value, 'a header of a redirect')
  if (body !== undefined) giveUp(body, 'a page with a redirect')
  return { ...readTarget(plainText(only(location))), code: status as Redirect['code'] }
}

const ownHost = '{http.request.scheme}://{http.request.hostport}'
const uri = '{http.request.uri}'

/** Reads the target of a redirect. The path of the request after it is the member `keep_path`. */
export function readTarget(location: string): Pick<Redirect, 'to' | 'keep_path'> {
  if (!location.endsWith(uri)) return { to: location, keep_path: false }
  const base = location.slice(0, -uri.length)
  if (base.startsWith(`${ownHost}/`)) return { to: base.slice(ownHost.length), keep_path: true }
  // A path keeps its host in ours, and one that ends in a slash would lose it.
  const isSame = /^https?:\/\/[^/]/.test(base) && !base.endsWith('/')
  return isSame ? { to: base, keep_path: true } : { to: location, keep_path: false }
}

function only(list: JsonLocation): JsonLocation {
  const [value, ...more] = itemsOf(list)
  if (value === undefined || more.length > 0 || textsOf(list) === undefined)
    giveUp(list, 'a header with several values')
  return value
}

/** Returns true for the answer of a site in maintenance. */
export function isMaintenance(handler: JsonLocation): boolean {
  if (at(handler, 'handler')?.value !== 'static_response' || at(handler, 'status_code')?.value !== 503) return false
  const names = membersOf(at(handler, 'headers')).map(([name]) => name)
  return names.sort().join() === 'Cache-Control,Content-Type,Retry-After'
}

/** The page a site shows when its upstreams fail; what errors get otherwise is reported as lost. */
export function readErrorPage(server: JsonLocation, hosts: readonly string[], reading: SiteReading): string | null {
  let page: string | null = null
  for (const route of itemsOf(at(server, 'errors', 'routes'))) {
    const names = itemsOf(at(route, 'match')).flatMap((set) => textsOf(at(set, 'host')) ?? [])
    if (names.length > 0 && !hosts.some((host) => names.includes(host))) continue
    const found: string | undefined = page === null ? ownPage(route, names) : undefined
    if (found === undefined) reading.lost(route, 'what is shown instead of errors')
    else page = found
  }
  return page
}

/** The page of a route the compiler made. */
function ownPage(route: JsonLocation, domains: readonly string[]): string | undefined {
  const [handler] = itemsOf(at(route, 'handle'))
  const body = handler && textOf(at(handler, 'body'))
  if (body === undefined) return undefined
  const page = plainBraces(body)
  const { '@id': _id, ...rest } = route.value as Record<string, unknown>
  const others = itemsOf(at(route, 'match')).flatMap((set) => textsOf(at(itemsOf(at(set, 'not'))[0], 'host')) ?? [])
  const record = { error_page: page, domains: [...domains] } as unknown as SiteRecord
  const ours = errorPageRoute({ id: 0, record }, others)
  return canonicalJson(ours) === canonicalJson(rest) ? page : undefined
}

type StaticFiles = NonNullable<AnswerMembers['static']>

/** Settings of earlier handlers for the handler that serves files. */
export interface FileContext {
  readonly root: JsonLocation | undefined
  /** Matcher `file` that chose another file to serve. */
  readonly tried: JsonLocation | undefined
}

/** Reads a handler `file_server`. */
export function readFiles(
  handler: JsonLocation,
  { root: usualRoot, tried }: FileContext,
  reading: SiteReading,
): StaticFiles {
  const members = new Members(handler, 'handler', 'canonical_uris')
  const root = members.take('root') ?? usualRoot ?? giveUp(handler, 'files without a directory')
  const index = textsOf(members.take('index_names')) ?? ['index.html', 'index.txt']
  const browse = members.take('browse')
  for (const [, option] of membersOf(browse)) reading.lost(option, 'how directories are listed')
  readHidden(members.take('hide'))
  for (const name of ['precompressed', 'precompressed_order', 'etag_file_extensions'])
    reading.lost(members.take(name), 'files that are stored compressed')
  members.refuseOthers('a way to serve files that sites do not have')
  const directory = literalText(root)
  if (!directory.startsWith('/')) giveUp(root, 'a directory that is not absolute')
  return { root: directory, index, browse: browse !== undefined, fallback: readFallback(tried, { root, index }) }
}

/** The Caddyfile itself is hidden by Caddy, and ours hides more than usual. */
function readHidden(hide: JsonLocation | undefined): void {
  const ours = new Set(['.git', '.svn', '.hg', '.env', '.htaccess', '.htpasswd', '.DS_Store'])
  for (const item of itemsOf(hide)) {
    const name = textOf(item) ?? ''
    if (!ours.has(name) && !name.endsWith('/Caddyfile')) giveUp(item, `the hidden file ${name.slice(0, 80)}`)
  }
}

/** The file that answers for whatever is not there: the last of those that are tried. */
function readFallback(
  tried: JsonLocation | undefined,
  on: { root: JsonLocation; index: readonly string[] },
): string | null {
  if (tried === undefined) return null
  const members = new Members(tried)
  const root = members.take('root')
  if (root !== undefined && root.value !== on.root.value)
    giveUp(root, 'files that are looked for elsewhere than they are served from')
  const list = members.take('try_files')
  members.refuseOthers('a way to try files that sites do not have')
  const files = textsOf(list) ?? []
  const path = '{http.request.uri.path}'
  const usual = new Set([path, `${path}/`, ...on.index.map((name) => `${path}/${name}`)])
  const last = files.at(-1) ?? ''
  const isUsual = files[0] === path && files.slice(0, -1).every((file) => usual.has(file))
  if (!isUsual || usual.has(last) || last.startsWith('=') || /[{}]/.test(last))
    giveUp(tried, 'a list of files to try that sites do not have')
  return last.startsWith('/') ? last : `/${last}`
}

/** The directory of a handler `vars` that sets nothing else; undefined for one that sets nothing. */
export function readRoot(handler: JsonLocation): JsonLocation | undefined {
  const members = new Members(handler, 'handler')
  const root = members.take('root')
  members.refuseOthers('a variable')
  return root
}

/** Returns true when the steps do nothing but rewrite to the file a matcher has found. */
export function isRewriteToFound(handler: JsonLocation | undefined): boolean {
  if (handler === undefined || !isObject(handler.value)) return false
  const names = Object.keys(handler.value).sort().join()
  return (
    names === 'handler,uri' &&
    handler.value['handler'] === 'rewrite' &&
    at(handler, 'uri')?.value === '{http.matchers.file.relative}'
  )
}
