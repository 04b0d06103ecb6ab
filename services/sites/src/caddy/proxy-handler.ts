import { escapeBraces } from '../sites/placeholders.ts'
import type { ProxyMembers } from '../sites/proxy-schema.ts'
import { dialOf, schemeOf } from '../sites/upstream-url.ts'
import type { Capabilities } from './capabilities.ts'

/** Seconds in Caddy's notation. */
export function seconds(count: number): string {
  return Number.isInteger(count) ? `${count}s` : `${Math.round(count * 1000)}ms`
}

/** Dependencies of `proxyHandler`. */
export interface ProxyContext {
  readonly capabilities: Capabilities
  /** Seconds WebSockets survive a change, unless the site says otherwise. */
  readonly streamCloseDelay: number
  /** Base64 DER of uploaded authorities, by id. */
  readonly authorities: Readonly<Record<number, readonly string[]>>
  /** Proxies in front of Caddy. */
  readonly trustedProxies: readonly string[]
  readonly note: (text: string) => void
}

/** The handler that hands requests to upstreams. */
export function proxyHandler(proxy: ProxyMembers, context: ProxyContext): object {
  const { timeouts } = proxy
  const delay = timeouts.websocket_close_delay ?? context.streamCloseDelay
  const health = healthChecks(proxy, context)
  const transport = httpTransport(proxy, context)
  const balancing = loadBalancing(proxy, context)
  return {
    handler: 'reverse_proxy',
    upstreams: proxy.upstreams.map(({ url, max_requests: most }) => ({
      dial: dialOf(url),
      ...(most === null ? {} : { max_requests: most }),
    })),
    ...(balancing && { load_balancing: balancing }),
    ...(health && { health_checks: health }),
    ...(transport && { transport }),
    ...hostHeader(proxy),
    // Newer versions have it once, for the whole server.
    ...(!context.capabilities.trustedProxies &&
      context.trustedProxies.length > 0 && { trusted_proxies: [...context.trustedProxies] }),
    ...(timeouts.flush === 'immediate' && { flush_interval: immediateFlush(context) }),
    ...(context.capabilities.streamCloseDelay && delay > 0 && { stream_close_delay: seconds(delay) }),
  }
}

/** Version 2.6 breaks answers off at a change of the configuration when they are flushed at once, and not a millisecond later. */
function immediateFlush({ capabilities }: ProxyContext): number | string {
  return capabilities.streamCloseDelay ? -1 : '1ms'
}

/** Newer versions send an HTTPS upstream its own name by default, older ones never; so it is always set. */
function hostHeader({ upstream_host: host, upstreams }: ProxyMembers): object {
  const isSecure = schemeOf(upstreams[0]?.url ?? '') === 'https'
  if (host === 'client' && !isSecure) return {}
  const value = host === 'client' ? '{http.request.hostport}' : '{http.reverse_proxy.upstream.hostport}'
  return { headers: { request: { set: { Host: [value] } } } }
}

/** Returns the transport to the upstreams; undefined for Caddy's default. */
export function httpTransport(proxy: ProxyMembers, context: ProxyContext): object | undefined {
  const { timeouts } = proxy
  const scheme = schemeOf(proxy.upstreams[0]?.url ?? '')
  const chosen = proxy.upstream_tls.http_versions
  const versions = scheme === 'h2c' ? ['h2c', '2'] : chosen
  const members = {
    ...(timeouts.dial !== null && { dial_timeout: seconds(timeouts.dial) }),
    ...(timeouts.read !== null && { read_timeout: seconds(timeouts.read) }),
    ...(timeouts.write !== null && { write_timeout: seconds(timeouts.write) }),
    ...(versions.length > 0 && { versions: [...versions] }),
    ...(scheme === 'https' && { tls: upstreamTls(proxy.upstream_tls, context) }),
  }
  return Object.keys(members).length === 0 ? undefined : { protocol: 'http', ...members }
}

function upstreamTls(tls: ProxyMembers['upstream_tls'], { authorities, capabilities }: ProxyContext): object {
  const trusted = tls.ca_id === null ? undefined : (authorities[tls.ca_id] ?? [])
  return {
    ...(!tls.verify && { insecure_skip_verify: true }),
    ...(tls.server_name !== null && { server_name: escapeBraces(tls.server_name) }),
    ...(trusted &&
      (capabilities.tlsCaField
        ? { ca: { provider: 'inline', trusted_ca_certs: [...trusted] } }
        : { root_ca_pool: [...trusted] })),
  }
}

function loadBalancing(proxy: ProxyMembers, context: ProxyContext): object | undefined {
  const { retries, try_duration: duration } = proxy.lb
  const members = {
    ...(proxy.upstreams.length > 1 && { selection_policy: selectionPolicy(proxy, context) }),
    ...(retries > 0 && { retries }),
    ...(duration > 0 && { try_duration: seconds(duration) }),
  }
  return Object.keys(members).length === 0 ? undefined : members
}

function selectionPolicy(proxy: ProxyMembers, { capabilities, note }: ProxyContext): object {
  const { policy, choose, name } = proxy.lb
  const insteadOf = (other: string) => {
    note(`this Caddy has no policy ${policy}; ${other} takes its place`)
    return { policy: other }
  }
  switch (policy) {
    case 'random_choose':
      return { policy, choose }
    case 'header':
      return { policy, field: name ?? 'X-Upstream' }
    case 'cookie':
      return { policy, ...(name !== null && { name }) }
    case 'query':
      return capabilities.queryPolicy ? { policy, key: name ?? 'upstream' } : insteadOf('uri_hash')
    case 'client_ip_hash':
      return capabilities.clientIpHash ? { policy } : insteadOf('ip_hash')
    case 'weighted_round_robin':
      if (!capabilities.weightedRoundRobin) return insteadOf('round_robin')
      return { policy, weights: proxy.upstreams.map(({ weight }) => weight) }
    case 'random':
    case 'round_robin':
    case 'least_conn':
    case 'first':
    case 'ip_hash':
    case 'uri_hash':
      return { policy }
  }
}

function healthChecks({ health }: ProxyMembers, { capabilities, note }: ProxyContext): object | undefined {
  const { active, passive } = health
  if (active === null && passive === null) return undefined
  const counts = active !== null && (active.passes > 1 || active.fails > 1)
  if (counts && !capabilities.healthPasses) note('this Caddy does not count passes and fails of health checks')
  return {
    ...(active && {
      active: {
        uri: active.path,
        interval: seconds(active.interval),
        timeout: seconds(active.timeout),
        expect_status: active.expect_status,
        ...(active.host_header !== null && { headers: { Host: [escapeBraces(active.host_header)] } }),
        ...(counts && capabilities.healthPasses && { passes: active.passes, fails: active.fails }),
      },
    }),
    ...(passive && { passive: passiveChecks(passive) }),
  }
}

function passiveChecks(passive: NonNullable<ProxyMembers['health']['passive']>): object {
  const { unhealthy_status: statuses, unhealthy_latency: latency } = passive
  return {
    fail_duration: seconds(passive.fail_duration),
    max_fails: passive.max_fails,
    ...(statuses.length > 0 && { unhealthy_status: [...statuses] }),
    ...(latency !== null && { unhealthy_latency: seconds(latency) }),
  }
}
