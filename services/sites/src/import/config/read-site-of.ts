import { isDeepStrictEqual } from 'node:util'
import { isWildcard } from '../../sites/domains.ts'
import type { SiteRecord } from '../../sites/schema.ts'
import type { HostGroup, HostSide } from './group-hosts.ts'
import { giveUp, type ImportReport, NotMappable, type ReadOptions, SiteReading } from './site-reading.ts'
import { at, isObject, reach, textsOf, type JsonLocation } from './json-location.ts'
import type { ImportedSite } from './read-config.ts'
import { readErrorPage } from './read-answers.ts'
import { readRoutes, type RoutesReading } from './read-site.ts'
import { readTls, type TlsReading } from './read-tls.ts'

/** Context of reading sites. */
export interface SiteDependencies {
  /** The app `tls`. */
  readonly tls: JsonLocation | undefined
  readonly logging: JsonLocation | undefined
  /** `https_port` of the http app. */
  readonly httpsPort: unknown
  readonly options: ReadOptions
}

/** Reads the site of some hosts; undefined when it cannot be taken over, which is reported. */
export function readSiteOf(
  group: HostGroup,
  dependencies: SiteDependencies,
  report: ImportReport,
): ImportedSite | undefined {
  const name = group.hosts[0] ?? ''
  const reading = new SiteReading(name, dependencies.options)
  try {
    const site = read(group, dependencies, reading)
    report.append(reading.report.items())
    return site
  } catch (error) {
    if (!(error instanceof NotMappable)) throw error
    const raw = dependencies.options.rawOf?.(name)
    const site = raw === undefined ? undefined : rawSite(group, raw, dependencies)
    report.add(site === undefined ? 'left_out' : 'raw', error.location.path, { what: error.message, site: name })
    return site
  }
}

function read(group: HostGroup, dependencies: SiteDependencies, reading: SiteReading): ImportedSite {
  const side = group.https ?? group.http
  if (side === undefined) throw new Error('a group of hosts without a server')
  const { site, hashes } = readRoutes(side.view.routes, reading)
  for (const location of side.view.unreached) reading.lost(location, 'never reached: all requests are answered before')
  const { tls, certificate } = readTlsOf(group, dependencies, reading)
  const id = idOf(side)
  const isSecure = group.https !== undefined
  const httpsPort = typeof dependencies.httpsPort === 'number' ? dependencies.httpsPort : 443
  return {
    path: group.path,
    site: {
      ...site,
      site_name: group.hosts[0] ?? '',
      domains: sorted(group.hosts),
      tls,
      force_https: isSecure && forcesHttps(group, { site, hashes }, { httpsPort, reading }),
      hsts: site.hsts,
      enabled: listensEverywhere(side.server, reading),
      error_page: readErrorPage(side.server, group.hosts, reading),
      log: readLog(side.server, group.hosts[0] ?? '', { logging: dependencies.logging, id }),
    },
    hashes,
    ...(certificate && { certificate }),
    ...(id !== undefined && { id }),
  }
}

/** Checks whether the server accepted visitors from everywhere. An import must not open a restricted site to everybody. */
function listensEverywhere(server: JsonLocation, reading: SiteReading): boolean {
  const listen = at(server, 'listen')
  const addresses = (textsOf(listen) ?? []).map((address) => address.replace(/^tcp\//, '').replace(/:\d+$/, ''))
  const { isOurs, bind = [] } = reading.options
  const isEverywhere = addresses.some((address) => ['', '0.0.0.0', '[::]'].includes(address))
  const known = new Set(addresses.map((address) => address.replace(/^\[(.*)\]$/, '$1')))
  const isSame = bind.length > 0 && bind.every((address) => known.has(address))
  if (isEverywhere || isSame || isOurs) return true
  reading.changed(
    listen,
    'a server on some addresses only; sites are on all of the node’s, so this one is switched off',
  )
  return false
}

/** Exact names first, as they are in configurations of ours. */
const sorted = (hosts: readonly string[]) => [
  ...hosts.filter((host) => !isWildcard(host)),
  ...hosts.filter((host) => isWildcard(host)),
]

function readTlsOf({ hosts, https }: HostGroup, { tls }: SiteDependencies, reading: SiteReading): TlsReading {
  if (https === undefined) return { tls: { ...offTls } }
  const locations = { app: tls, connections: at(https.server, 'tls_connection_policies') }
  const [first, ...others] = hosts.map((host) => readTls(host, locations, reading))
  if (first === undefined) throw new Error('a group without hosts')
  if (others.some((other) => !isDeepStrictEqual(other, first)))
    giveUp(tls ?? https.server, `certificates that ${hosts.join(', ').slice(0, 300)} get in different ways`)
  return first
}

const offTls: SiteRecord['tls'] = {
  mode: 'off',
  min_version: '1.2',
  acme_ca: null,
  staging: false,
  certificate_id: null,
  client_auth_ca_id: null,
}

/** Returns true when plain HTTP redirects to HTTPS. Caddy does that by itself where no route says otherwise. */
function forcesHttps(
  group: HostGroup,
  secure: RoutesReading,
  on: { httpsPort: number; reading: SiteReading },
): boolean {
  const { http, hosts } = group
  if (http === undefined) return true
  const plain = readRoutes(http.view.routes, new SiteReading(on.reading.site, on.reading.options))
  const location = plain.site.redirect
  const usual = [...hosts.map((host) => `https://${host}`), 'https://{http.request.host}']
  const isToHttps = usual.some((base) => location?.to === base || location?.to === `${base}:${on.httpsPort}`)
  if (plain.site.kind === 'redirect' && isToHttps && location?.keep_path) return true
  const bare = ({ site: { hsts: _hsts, ...site }, hashes }: RoutesReading) => ({ site, hashes })
  if (isDeepStrictEqual(bare(plain), bare(secure))) return false
  const [first] = http.view.routes
  return giveUp(first?.location ?? http.server, 'other answers over plain HTTP than over HTTPS')
}

/** The number in the `@id` of a route of ours. */
function idOf({ view }: HostSide): number | undefined {
  for (const key of view.routes.flatMap(({ location, handlers }) => [
    location,
    ...handlers.flatMap((handler) => handler.routes?.map((route) => route.location) ?? []),
  ])) {
    const id = at(key, '@id')?.value
    const number = typeof id === 'string' && /^site-(\d{1,15})(-wildcards)?(-http)?$/.exec(id)?.[1]
    if (number) return Number(number)
  }
  return undefined
}

function readLog(
  server: JsonLocation,
  host: string,
  { logging, id }: { logging: JsonLocation | undefined; id: number | undefined },
): SiteRecord['log'] {
  const names = reach(server, 'logs', 'logger_names')
  const entry = names && at(names, host)
  const name = textsOf(entry)?.[0] ?? entry?.value
  return {
    enabled: id === undefined || name !== 'off',
    own_file: id !== undefined && isObject(logging && reach(logging, 'logs', `site-${id}`)?.value),
  }
}

/** The site with the directives it was written with. Undefined when they do not say all: how TLS is done stands elsewhere. */
function rawSite(group: HostGroup, raw: string, dependencies: SiteDependencies): ImportedSite | undefined {
  const name = group.hosts[0] ?? ''
  const reading = new SiteReading(name, dependencies.options)
  try {
    const { tls } = readTlsOf(group, dependencies, reading)
    if (tls.mode === 'custom' || reading.report.items().length > 0) return undefined
    const domains = sorted(group.hosts)
    const site = {
      site_name: name,
      domains,
      kind: 'raw' as const,
      raw_directives: raw,
      tls,
      force_https: group.https !== undefined,
    }
    return { path: group.path, site, hashes: {} }
  } catch (error) {
    if (error instanceof NotMappable) return undefined
    throw error
  }
}
