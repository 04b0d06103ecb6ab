import { secondsOf } from './caddy-values.ts'
import { readUpstreamUrl } from '../caddy/upstream-url.ts'
import type { HeaderChange } from '../sites/guard-schema.ts'
import { proxyDefaults, type ProxyMembers } from '../sites/proxy-schema.ts'
import { numberOf, plainText, wordOf } from './caddy-values.ts'
import { giveUp } from './import-report.ts'
import { at, itemsOf, Members, type Place } from './json-place.ts'
import { readBalancing } from './read-balancing.ts'
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
export function readProxy(handler: Place, reading: SiteReading): ProxyReading {
  const members = new Members(handler)
  members.skip('handler')
  const transport = readTransport(members.take('transport'), reading)
  const upstreams = itemsOf(members.take('upstreams'))
  if (upstreams.length === 0) giveUp(handler, 'a proxy without fixed upstreams')
  const { weights, lb } = readBalancing(members.take('load_balancing'), upstreams.length, reading)
  const headers = readProxyHeaders(members.take('headers'), reading)
  const saysOwnHost = transport.scheme === 'https' && reading.options.tellsSecureUpstreamsTheirName === true
  const proxy: ProxyMembers = {
    ...proxyDefaults,
    upstreams: upstreams.map((upstream, index) => readUpstream(upstream, transport, weights[index] ?? 1)),
    upstream_host: headers.isUpstreamHost || (saysOwnHost && !headers.isHostSet) ? 'upstream' : 'client',
    lb,
    health: readHealth(members.take('health_checks'), reading),
    timeouts: {
      ...transport.timeouts,
      flush: readFlush(members.take('flush_interval'), reading),
      websocket_close_delay: reading.closeDelayOf(members.take('stream_close_delay')),
    },
    upstream_tls: transport.tls,
  }
  const trusted = members.take('trusted_proxies')
  if (!reading.options.isOurs) reading.lost(trusted, 'proxies that are trusted; that is said of the node here')
  for (const name of tuning) reading.lost(members.take(name), 'fine tuning of a proxy')
  for (const place of members.left()) giveUp(place, 'something a proxy of a site does not have')
  return { members: proxy, requestHeaders: headers.request, responseHeaders: headers.response }
}

function readUpstream(place: Place, { scheme }: TransportReading, weight: number): ProxyMembers['upstreams'][number] {
  const members = new Members(place)
  const dial = wordOf(members.take('dial')) ?? giveUp(place, 'an upstream without an address')
  const most = numberOf(members.take('max_requests'))
  for (const member of members.left()) giveUp(member, 'an upstream that is found otherwise than by its address')
  return {
    url: urlOf(dial, scheme) ?? giveUp(place, 'an upstream’s address that sites cannot have'),
    weight,
    max_requests: most ?? null,
  }
}

/** The upstream's address as a site has it, from how Caddy dials it. */
export function urlOf(dial: string, scheme: TransportReading['scheme']): string | undefined {
  if (dial.startsWith('unix/')) return scheme === 'http' && !('problem' in readUpstreamUrl(dial)) ? dial : undefined
  const place = /^(?:tcp\/)?(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(dial)
  if (place === null) return undefined
  const url = `${scheme}://${place[1]}:${place[2]}`
  return 'problem' in readUpstreamUrl(url) ? undefined : url
}

/** Headers that Caddy sends to upstreams anyway, so that setting them changes nothing. */
const usual: Readonly<Record<string, readonly string[]>> = {
  host: ['{http.request.host}', '{http.request.hostport}'],
  'x-forwarded-for': ['{http.request.remote.host}'],
  'x-forwarded-proto': ['{http.request.scheme}'],
  'x-forwarded-host': ['{http.request.host}', '{http.request.hostport}'],
}

function readProxyHeaders(headers: Place | undefined, reading: SiteReading) {
  const members = headers && new Members(headers)
  const [request, response] = [members?.take('request'), members?.take('response')]
  for (const place of members?.left() ?? []) giveUp(place, 'a way to change headers that sites do not have')
  const host = request && at(request, 'set') && hostOf(request)
  const isUpstreamHost =
    host === '{http.reverse_proxy.upstream.hostport}' || host === '{http.reverse_proxy.upstream.host}'
  const changes = request ? readOperations(new Members(request)) : []
  const kept = changes.filter((change) => isChange(change, { isUpstreamHost, place: request }))
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

function hostOf(request: Place): string | undefined {
  const set = at(request, 'set')
  const values = set && at(set, 'Host')
  const [value, ...more] = itemsOf(values)
  return value && more.length === 0 ? plainText(value) : undefined
}

function isChange(
  { op, name, value }: HeaderChange,
  on: { isUpstreamHost: boolean; place: Place | undefined },
): boolean {
  const key = name.toLowerCase()
  if (op === 'set' && usual[key]?.includes(value)) return false
  if (op === 'set' && key === 'host' && on.isUpstreamHost) return false
  if (on.place && key.startsWith('x-forwarded-')) giveUp(on.place, `a change of ${name}, which Caddy sets itself`)
  if (on.place && value.includes('{http.reverse_proxy.'))
    giveUp(on.place, `the header ${name}, which depends on the upstream`)
  return true
}

function readFlush(interval: Place | undefined, reading: SiteReading): 'auto' | 'immediate' {
  if (interval === undefined) return 'auto'
  // A millisecond is what old versions are told instead, because at once is broken there.
  const seconds = secondsOf(interval)
  const isAtOnce = typeof interval.value === 'number' && interval.value < 0
  if (isAtOnce || (seconds !== undefined && seconds > 0 && seconds <= 0.001)) return 'immediate'
  reading.lost(interval, 'an interval of flushing')
  return 'auto'
}
