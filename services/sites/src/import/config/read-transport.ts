import { proxyDefaults, type ProxyMembers } from '../../sites/proxy-schema.ts'
import { literalText, secondsOf } from './caddy-values.ts'
import type { SiteReading } from './site-reading.ts'
import { at, giveUp, isObject, type JsonLocation, Members, textsOf } from './json-location.ts'

/** Transport to the upstreams. */
export interface TransportReading {
  readonly scheme: 'http' | 'https' | 'h2c'
  readonly timeouts: ProxyMembers['timeouts']
  readonly tls: ProxyMembers['upstream_tls']
}

const tuning = [
  'keep_alive',
  'compression',
  'max_conns_per_host',
  'dial_fallback_delay',
  'response_header_timeout',
  'expect_continue_timeout',
  'max_response_header_size',
  'read_buffer_size',
  'write_buffer_size',
  'resolver',
  'local_address',
]

/** Reads `transport` of a proxy. */
export function readTransport(transport: JsonLocation | undefined, reading: SiteReading): TransportReading {
  const plain: TransportReading = { scheme: 'http', timeouts: proxyDefaults.timeouts, tls: proxyDefaults.upstream_tls }
  if (transport === undefined) return plain
  const members = new Members(transport)
  if (members.take('protocol')?.value !== 'http') giveUp(transport, 'a proxy that does not speak HTTP, as for FastCGI')
  const tls = members.take('tls')
  const versions = textsOf(members.take('versions')) ?? []
  const isH2c = versions.includes('h2c')
  if (isH2c && tls !== undefined) giveUp(transport, 'HTTP/2 without TLS and TLS at once')
  const timeouts = {
    ...plain.timeouts,
    dial: secondsOf(members.take('dial_timeout')) ?? null,
    read: secondsOf(members.take('read_timeout')) ?? null,
    write: secondsOf(members.take('write_timeout')) ?? null,
  }
  for (const name of tuning) reading.lost(members.take(name), 'fine tuning of a proxy')
  members.refuseOthers('a way to speak to upstreams that sites do not have')
  const chosen = isH2c ? [] : versions.filter((version) => version === '1.1' || version === '2')
  if (!isH2c && chosen.length < versions.length) reading.lost(at(transport, 'versions'), 'versions of HTTP')
  return {
    scheme: isH2c ? 'h2c' : tls === undefined ? 'http' : 'https',
    timeouts,
    tls: { ...(tls === undefined ? plain.tls : readTls(tls, reading)), http_versions: chosen },
  }
}

function readTls(location: JsonLocation, reading: SiteReading): ProxyMembers['upstream_tls'] {
  if (!isObject(location.value)) giveUp(location, 'TLS to upstreams that cannot be read')
  const members = new Members(location)
  const name = members.take('server_name')
  const pool = members.take('root_ca_pool')
  const ca = members.take('ca')
  const tls = {
    ...proxyDefaults.upstream_tls,
    verify: members.take('insecure_skip_verify')?.value !== true,
    server_name: name === undefined ? null : literalText(name),
    ca_id: readAuthority(pool ?? ca, pool ?? at(ca, 'trusted_ca_certs'), reading),
  }
  for (const name of ['handshake_timeout', 'renegotiation', 'curves'])
    reading.lost(members.take(name), 'fine tuning of TLS to upstreams')
  members.refuseOthers('a kind of TLS to upstreams that sites do not have')
  return tls
}

/** The uploaded authority with these certificates; null without one. */
export function readAuthority(
  location: JsonLocation | undefined,
  list: JsonLocation | undefined,
  reading: SiteReading,
): number | null {
  if (location === undefined) return null
  const texts = textsOf(list)
  const id = texts && reading.options.authorityOf?.(texts)
  return id ?? giveUp(location, 'certificates of an authority; upload them and choose them in a site made by hand')
}
