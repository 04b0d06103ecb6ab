import type { HeaderChange } from '../../sites/guard-schema.ts'
import { readUpstreamUrl } from '../../sites/upstream-url.ts'
import type { SiteInput } from '../config/read-config.ts'
import type { Directive } from './nginx-directives.ts'

/** Members of a site, or of one of its paths, that say where answers come from. */
export type TargetInput = Pick<
  SiteInput,
  'kind' | 'upstreams' | 'upstream_host' | 'lb' | 'timeouts' | 'upstream_tls' | 'redirect' | 'static' | 'respond'
> & {
  readonly kind: 'proxy' | 'redirect' | 'static' | 'respond'
  readonly request_headers: HeaderChange[]
  readonly response_headers: HeaderChange[]
}

/** What holds where a location stands. */
export interface LocationContext {
  /** Values of variables, by their names without `$`. */
  readonly variables: ReadonlyMap<string, string>
  /** Servers of the groups `upstream`, by name. */
  readonly groups: ReadonlyMap<string, UpstreamGroup>
  /** Prefix of the location; `/` for the whole site. */
  readonly prefix: string
  readonly lost: (what: string) => void
}

/** Servers of a block `upstream`. */
export interface UpstreamGroup {
  readonly servers: readonly { readonly address: string; readonly weight: number }[]
  readonly policy: 'round_robin' | 'least_conn' | 'ip_hash' | 'weighted_round_robin'
}

/** Where the answers of these directives come from: of a location, or of a server without one. */
export function readTarget(
  directives: readonly Directive[],
  context: LocationContext,
): (TargetInput & { readonly isStripped: boolean }) | { readonly problem: string } | undefined {
  const { lost } = context
  const first = (name: string) => directives.find((one) => one.name === name)
  const response_headers = directives.flatMap((one) =>
    one.name === 'add_header' ? (addedHeader(one, lost) ?? []) : [],
  )
  const shared = { request_headers: [] as HeaderChange[], response_headers, isStripped: false }
  const answer = first('return')
  if (answer !== undefined) {
    const target = readReturn(answer.words)
    return 'problem' in target ? target : { ...target, ...shared }
  }
  const pass = first('proxy_pass')
  if (pass !== undefined) {
    const proxy = readPass(pass.words[0] ?? '', context)
    if ('problem' in proxy) return proxy
    const { headers, host } = requestHeaders(directives, lost)
    return { ...shared, ...proxy, request_headers: headers, upstream_host: host, ...timeoutsOf(directives) }
  }
  const foreign = directives.find(({ name }) => /^(fastcgi|uwsgi|scgi|grpc|memcached)_pass$/.test(name))
  if (foreign !== undefined) return { problem: `${foreign.name}: not possible here` }
  if (first('alias') !== undefined) return { problem: 'alias: only whole folders can be served' }
  const root = first('root')?.words[0]
  if (root === undefined) return undefined
  const tried = first('try_files')
  if (tried !== undefined && !triesAll(tried)) return { problem: `try_files ${tried.words.join(' ').slice(0, 100)}` }
  const fallback = tried?.words.at(-1)
  const isPage = fallback !== undefined && /^\/[\w./-]+$/.test(fallback)
  return {
    ...shared,
    kind: 'static',
    static: {
      root: root.replace(/(.)\/$/, '$1'),
      index: first('index')?.words.slice(0, 8) ?? ['index.html'],
      browse: first('autoindex')?.words[0] === 'on',
      fallback: isPage ? fallback : null,
    },
  }
}

/** True for a `try_files` that serves every file of its folder. */
export const triesAll = ({ words }: Directive): boolean => words.some((word) => /^\$(uri|\{uri\})$/.test(word))

const codes: Readonly<Record<number, 301 | 302 | 307 | 308>> = { 301: 301, 302: 302, 303: 302, 307: 307, 308: 308 }

/** Reads `return 301 https://b.example$request_uri`, `return 404` or `return https://b.example`. */
export function readReturn(
  words: readonly string[],
): Pick<TargetInput, 'kind' | 'redirect' | 'respond'> | { readonly problem: string } {
  const [first = '', text = ''] = words
  const isCode = /^\d{3}$/.test(first)
  const [status, to] = isCode ? [Number(first), text] : [302, first]
  const code = codes[status]
  if (code !== undefined) {
    const [, address = '', keeps] = /^(.*?)(\$request_uri)?$/.exec(to) ?? []
    if (address === '' || address.includes('$')) return { problem: `a redirect to ${to.slice(0, 100)}` }
    return { kind: 'redirect', redirect: { to: address, code, keep_path: keeps !== undefined } }
  }
  if (text.includes('$') || status < 200 || status > 599) return { problem: `return ${words.join(' ').slice(0, 100)}` }
  // 444 closes the connection, which looks like no server at all.
  return { kind: 'respond', respond: { status: status === 444 ? 404 : status, body: text } }
}

/** True for a redirect of the same address to HTTPS, for a server of these names. */
export function isToHttps({ name, words: [code = '', to = ''] }: Directive, names: readonly string[]): boolean {
  if (name !== 'return' || !/^30[1278]$/.test(code)) return false
  const [, host = ''] = /^https:\/\/([^/:]+)(?::443)?\$request_uri$/.exec(to) ?? []
  return /^\$(host|server_name|http_host)$/.test(host) || names.includes(host.toLowerCase())
}

function readPass(
  text: string,
  { variables, groups, prefix }: LocationContext,
):
  | (Pick<TargetInput, 'upstreams' | 'upstream_tls' | 'lb'> & { kind: 'proxy'; isStripped: boolean })
  | { problem: string } {
  const problem = { problem: `proxy_pass ${text.slice(0, 100)}, which is more than a server and its port` }
  const known = text.replaceAll(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (whole, braced?: string, plain?: string) => variables.get(braced ?? plain ?? '') ?? whole,
  )
  const [, scheme = '', name = '', path = ''] = /^(https?):\/\/([^/$\s]+)(\/[^$\s]*)?$/i.exec(known) ?? []
  // With a path, what the location matched is replaced by it.
  const isStripped = path === '/' && prefix !== '/' && prefix.endsWith('/')
  const isKept = path === '' || (path === '/' && prefix === '/') || path === prefix
  if (name === '' || (!isStripped && !isKept)) return problem
  const group = groups.get(name)
  const servers = group?.servers ?? [{ address: name, weight: 1 }]
  const upstreams = servers.map(({ address, weight }) => ({ url: `${scheme.toLowerCase()}://${address}`, weight }))
  if (upstreams.length === 0 || upstreams.some(({ url }) => 'problem' in readUpstreamUrl(url))) return problem
  return {
    kind: 'proxy',
    isStripped,
    upstreams,
    ...(group !== undefined && { lb: { policy: group.policy } }),
    // nginx checks no certificates unless it is told to.
    ...(scheme.toLowerCase() === 'https' && { upstream_tls: { verify: false } }),
  }
}

/** Headers that Caddy sets by itself, or that WebSockets need nothing for. */
const usual =
  /^(x-real-ip|x-forwarded-(for|proto|host|port|ssl|scheme|method|uri|server)|x-scheme|x-original-url|upgrade|connection|range|if-range|accept-encoding)$/i

function requestHeaders(directives: readonly Directive[], lost: LocationContext['lost']) {
  const headers: HeaderChange[] = []
  // Files for proxies hand the name on, as a rule; nginx itself sends that of the upstream.
  const includesProxy = directives.some(({ name, words }) => name === 'include' && /proxy/.test(words[0] ?? ''))
  let host: 'client' | 'upstream' = includesProxy ? 'client' : 'upstream'
  for (const { name, words } of directives) {
    if (name !== 'proxy_set_header' && name !== 'proxy_hide_header') continue
    const [header = '', value = ''] = words
    if (name === 'proxy_hide_header') lost(`${name} ${header}`)
    else if (header.toLowerCase() === 'host') {
      if (/^\$(host|http_host|server_name)(:\$server_port)?$/.test(value)) host = 'client'
      else if (value !== '$proxy_host') lost(`the host ${value.slice(0, 100)} for the upstream`)
    } else if (value === '') headers.push({ op: 'delete', name: header, value: '' })
    else if (!value.includes('$')) headers.push({ op: 'set', name: header, value })
    else if (!usual.test(header)) lost(`${name} ${header} ${value}`.slice(0, 200))
  }
  return { headers, host }
}

function addedHeader({ words }: Directive, lost: LocationContext['lost']): HeaderChange | undefined {
  const [name = '', value = ''] = words
  // It is read as a setting of the site.
  if (name.toLowerCase() === 'strict-transport-security') return undefined
  if (!value.includes('$')) return { op: 'set', name, value }
  lost(`add_header ${name} ${value}`.slice(0, 200))
  return undefined
}

function timeoutsOf(directives: readonly Directive[]): Pick<TargetInput, 'timeouts'> {
  const of = (name: string) => secondsOf(directives.find((one) => one.name === name)?.words[0])
  const [dial, read, write] = [of('proxy_connect_timeout'), of('proxy_read_timeout'), of('proxy_send_timeout')]
  if (dial === undefined && read === undefined && write === undefined) return {}
  return {
    timeouts: {
      ...(dial !== undefined && { dial: Math.min(300, dial) }),
      ...(read !== undefined && { read: Math.min(86_400, read) }),
      ...(write !== undefined && { write: Math.min(86_400, write) }),
    },
  }
}

const units: Readonly<Record<string, number>> = { ms: 0.001, '': 1, s: 1, m: 60, h: 3600, d: 86_400 }

function secondsOf(text: string | undefined): number | undefined {
  const [, number, unit = ''] = /^(\d+)(ms|s|m|h|d)?$/.exec(text ?? '') ?? []
  const seconds = Number(number) * (units[unit] ?? Number.NaN)
  return seconds >= 0.1 ? seconds : undefined
}
