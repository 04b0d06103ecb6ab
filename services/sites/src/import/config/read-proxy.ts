import type { HeaderChange } from '../../sites/guard-schema.ts'
import { BalancingPolicy, proxyDefaults, type ProxyMembers } from '../../sites/proxy-schema.ts'
import { readUpstreamUrl } from '../../sites/upstream-url.ts'
import { numberOf, plainText, secondsOf, wordOf } from './caddy-values.ts'
import { at, giveUp, itemsOf, type JsonLocation, Members } from './json-location.ts'
import { readOperations, readResponse } from './read-headers.ts'
import { readHealth } from './read-health.ts'
import { readTransport, type TransportReading } from './read-transport.ts'
import type { SiteReading } from './site-reading.ts'

/** A proxy, and the headers it changes. */
export interface ProxyReading {
  readonly members: ProxyMembers
  readonly requestHeaders: readonly HeaderChange[]
  readonly responseHeaders: readonly HeaderChange[]
}

/** Members that make a proxy faster, slower or more talkative, and change no answer. */
const tuning = [
  'buffer_requests',
  'buffer_responses',
  'max_buffer_size',
  'request_buffers',
  'response_buffers',
  'verbose_logs',
  'stream_timeout',
]

/** Reads a handler `reverse_proxy` that hands requests on. */
export function readProxy(handler: JsonLocation, reading: SiteReading): ProxyReading {
  const members = new Members(handler, 'handler')
  const transport = readTransport(members.take('transport'), reading)
  const upstreams = itemsOf(members.take('upstreams'))
  if (upstreams.length === 0) giveUp(handler, 'a proxy without fixed upstreams')
  const { weights, lb } = readBalancing(members.take('load_balancing'), upstreams.length, reading)
  const headers = readProxyHeaders(members.take('headers'), reading)
  const saysOwnHost = transport.scheme === 'https' && reading.options.sendsOwnHostToSecureUpstreams === true
  const proxy: ProxyMembers = {
    ...proxyDefaults,
    upstreams: upstreams.map((upstream, index) => readUpstream(upstream, transport, weights[index] ?? 1)),
    upstream_host: headers.isUpstreamHost || (saysOwnHost && !headers.isHostSet) ? 'upstream' : 'client',
    lb,
    health: readHealth(members.take('health_checks'), reading),
    timeouts: {
      ...transport.timeouts,
      flush: readFlush(members.take('flush_interval'), reading),
      websocket_close_delay: closeDelayOf(members.take('stream_close_delay'), reading),
    },
    upstream_tls: transport.tls,
  }
  const trusted = members.take('trusted_proxies')
  if (!reading.options.isOurs) reading.lost(trusted, 'proxies that are trusted; that is said of the node here')
  for (const name of tuning) reading.lost(members.take(name), 'fine tuning of a proxy')
  members.refuseOthers('something a proxy of a site does not have')
  return { members: proxy, requestHeaders: headers.request, responseHeaders: headers.response }
}

function readUpstream(
  location: JsonLocation,
  { scheme }: TransportReading,
  weight: number,
): ProxyMembers['upstreams'][number] {
  const members = new Members(location)
  const dial = wordOf(members.take('dial')) ?? giveUp(location, 'an upstream without an address')
  const most = numberOf(members.take('max_requests'))
  members.refuseOthers('an upstream that is found otherwise than by its address')
  return {
    url: urlOf(dial, scheme) ?? giveUp(location, 'an upstream’s address that sites cannot have'),
    weight,
    max_requests: most ?? null,
  }
}

/** The upstream's address as a site has it, from how Caddy dials it. */
export function urlOf(dial: string, scheme: TransportReading['scheme']): string | undefined {
  if (dial.startsWith('unix/')) return scheme === 'http' && !('problem' in readUpstreamUrl(dial)) ? dial : undefined
  const location = /^(?:tcp\/)?(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(dial)
  if (location === null) return undefined
  const url = `${scheme}://${location[1]}:${location[2]}`
  return 'problem' in readUpstreamUrl(url) ? undefined : url
}

/** Headers that Caddy sends to upstreams anyway, so that setting them changes nothing. */
const usual: Readonly<Record<string, readonly string[]>> = {
  host: ['{http.request.host}', '{http.request.hostport}'],
  'x-forwarded-for': ['{http.request.remote.host}'],
  'x-forwarded-proto': ['{http.request.scheme}'],
  'x-forwarded-host': ['{http.request.host}', '{http.request.hostport}'],
}

function readProxyHeaders(headers: JsonLocation | undefined, reading: SiteReading) {
  const members = headers && new Members(headers)
  const [request, response] = [members?.take('request'), members?.take('response')]
  for (const location of members?.left() ?? []) giveUp(location, 'a way to change headers that sites do not have')
  const host = hostOf(request)
  const isUpstreamHost =
    host === '{http.reverse_proxy.upstream.hostport}' || host === '{http.reverse_proxy.upstream.host}'
  const changes = request ? readOperations(new Members(request)) : []
  const kept = changes.filter((change) => isChange(change, { isUpstreamHost, location: request }))
  if (kept.some(({ name }) => name.toLowerCase() === 'host'))
    reading.changed(
      request,
      'the Host header; X-Forwarded-Host then names that too, and no longer what the visitor asked for',
    )
  return {
    isUpstreamHost,
    isHostSet: host !== undefined,
    request: kept,
    response: response ? readResponse(new Members(response)) : [],
  }
}

function hostOf(request: JsonLocation | undefined): string | undefined {
  const [value, ...more] = itemsOf(at(request, 'set', 'Host'))
  return value && more.length === 0 ? plainText(value) : undefined
}

function isChange(
  { op, name, value }: HeaderChange,
  on: { isUpstreamHost: boolean; location: JsonLocation | undefined },
): boolean {
  const key = name.toLowerCase()
  if (op === 'set' && usual[key]?.includes(value)) return false
  if (op === 'set' && key === 'host' && on.isUpstreamHost) return false
  if (on.location && key.startsWith('x-forwarded-')) giveUp(on.location, `a change of ${name}, which Caddy sets itself`)
  if (on.location && value.includes('{http.reverse_proxy.'))
    giveUp(on.location, `the header ${name}, which depends on the upstream`)
  return true
}

function readFlush(interval: JsonLocation | undefined, reading: SiteReading): 'auto' | 'immediate' {
  if (interval === undefined) return 'auto'
  // Old versions get a millisecond instead, because 0 is broken there.
  const seconds = secondsOf(interval)
  const isAtOnce = typeof interval.value === 'number' && interval.value < 0
  if (isAtOnce || (seconds !== undefined && seconds > 0 && seconds <= 0.001)) return 'immediate'
  reading.lost(interval, 'an interval of flushing')
  return 'auto'
}

/** Returns how long WebSockets survive a change, or null for the default of the setting. */
function closeDelayOf(location: JsonLocation | undefined, reading: SiteReading): number | null {
  const seconds = secondsOf(location)
  return seconds === undefined || seconds === (reading.options.streamCloseDelay ?? 300) ? null : seconds
}

/** Load balancing, with the weight of each upstream where that counts. */
interface BalancingReading {
  readonly lb: ProxyMembers['lb']
  readonly weights: readonly number[]
}

/** Reads `load_balancing` of a proxy. With one upstream the policy means nothing. */
function readBalancing(location: JsonLocation | undefined, upstreams: number, reading: SiteReading): BalancingReading {
  // Caddy's own policy is another than ours.
  const usual = { ...proxyDefaults.lb, ...(upstreams > 1 && { policy: 'random' as const }) }
  if (location === undefined) return { lb: usual, weights: [] }
  const members = new Members(location)
  const policy = members.take('selection_policy')
  const chosen = policy !== undefined && upstreams > 1 ? readPolicy(policy, reading) : { lb: {}, weights: [] }
  const retries = numberOf(members.take('retries')) ?? 0
  const duration = secondsOf(members.take('try_duration')) ?? 0
  for (const name of ['try_interval', 'retry_match']) reading.lost(members.take(name), 'fine tuning of retries')
  members.refuseOthers('a way to choose upstreams that sites do not have')
  return { lb: { ...usual, ...chosen.lb, retries, try_duration: duration }, weights: chosen.weights }
}

function readPolicy(
  location: JsonLocation,
  reading: SiteReading,
): { lb: Partial<ProxyMembers['lb']>; weights: readonly number[] } {
  const members = new Members(location)
  const policy = BalancingPolicy.safeParse(members.take('policy')?.value)
  if (!policy.success) giveUp(location, 'a way to choose upstreams that sites do not have')
  const name = wordOf(members.take(nameMembers[policy.data] ?? ''))
  const choose = policy.data === 'random_choose' ? numberOf(members.take('choose')) : undefined
  const weights = members.take('weights')?.value
  for (const member of members.left()) reading.lost(member, 'fine tuning of how an upstream is chosen')
  return {
    lb: { policy: policy.data, ...(name !== undefined && { name }), ...(choose !== undefined && { choose }) },
    weights: Array.isArray(weights) ? weights.map((weight) => (typeof weight === 'number' ? weight : 1)) : [],
  }
}

const nameMembers: Readonly<Record<string, string>> = { header: 'field', cookie: 'name', query: 'key' }
