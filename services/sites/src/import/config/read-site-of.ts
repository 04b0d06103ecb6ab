import { isDeepStrictEqual } from 'node:util'
import { isWildcard } from '../../sites/domains.ts'
import { Tls } from '../../sites/guard-schema.ts'
import type { SiteRecord } from '../../sites/schema.ts'
import type { HostGroup, HostSide } from './group-hosts.ts'
import { type ImportReport, type ReadOptions, SiteReading } from './site-reading.ts'
import { at, giveUp, isObject, type JsonLocation, NotMappable, textsOf } from './json-location.ts'
import type { ImportedSite } from './read-config.ts'
import { readErrorPage } from './read-answers.ts'
import { readRoutes, type RoutesReading } from './read-site.ts'
import { readTls, type TlsReading } from './read-tls.ts'

/** Reads the site of some hosts; undefined when it cannot be taken over, which is reported. */
export function readSiteOf(
  group: HostGroup,
  { root, options }: { readonly root: JsonLocation; readonly options: ReadOptions },
  report: ImportReport,
): ImportedSite | undefined {
  const name = group.hosts[0] ?? ''
  const reading = new SiteReading(name, options)
  try {
    const site = read(group, root, reading)
    report.append(reading.report.items())
    return site
  } catch (error) {
    if (!(error instanceof NotMappable)) throw error
    const raw = options.rawOf?.(name)
    const site = raw === undefined ? undefined : rawSite(group, raw, { root, options })
    report.add({
      outcome: site === undefined ? 'left_out' : 'raw',
      path: error.location.path,
      what: error.message,
      site: name,
    })
    return site
  }
}

function read(group: HostGroup, root: JsonLocation, reading: SiteReading): ImportedSite {
  const side = group.https ?? group.http
  if (side === undefined) throw new Error('a group of hosts without a server')
  const { site, hashes } = readRoutes(side.view.steps, reading)
  for (const location of side.view.unreached) reading.lost(location, 'never reached: all requests are answered before')
  const { tls, certificate } = readTlsOf(group, root, reading)
  const id = idOf(side)
  const isSecure = group.https !== undefined
  const port = at(root, 'apps', 'http', 'https_port')?.value
  const httpsPort = typeof port === 'number' ? port : 443
  return {
    path: group.path,
    site: {
      ...site,
      site_name: group.hosts[0] ?? '',
      domains: sorted(group.hosts),
      tls,
      force_https: isSecure && forcesHttps(group, { site, hashes }, { httpsPort, reading }),
      hsts: site.hsts,
      enabled: listensEverywhere(side.server, reading) && knowsVisitors(side.server, site, reading),
      error_page: readErrorPage(side.server, group.hosts, reading),
      log: readLog(side.server, group.hosts[0] ?? '', { root, id }),
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

/** Checks whether the networks of a site were about direct visitors; behind other proxies everybody could come from one of them. */
function knowsVisitors(server: JsonLocation, { access }: RoutesReading['site'], reading: SiteReading): boolean {
  const trusted = at(server, 'trusted_proxies')
  const networks = (access?.allow?.length ?? 0) + (access?.deny?.length ?? 0)
  if (trusted === undefined || networks === 0 || reading.options.isOurs) return true
  reading.changed(
    trusted,
    'networks of visitors behind proxies that are trusted, which the node has to know; this site is switched off',
  )
  return false
}

/** Exact names first, as they are in configurations of ours. */
const sorted = (hosts: readonly string[]) => [
  ...hosts.filter((host) => !isWildcard(host)),
  ...hosts.filter((host) => isWildcard(host)),
]

function readTlsOf({ hosts, https }: HostGroup, root: JsonLocation, reading: SiteReading): TlsReading {
  const tls = at(root, 'apps', 'tls')
  if (https === undefined) return { tls: { ...Tls.parse({}), mode: 'off' } }
  const locations = { app: tls, connections: at(https.server, 'tls_connection_policies') }
  const [first, ...others] = hosts.map((host) => readTls(host, locations, reading))
  if (first === undefined) throw new Error('a group without hosts')
  if (others.some((other) => !isDeepStrictEqual(other, first)))
    giveUp(tls ?? https.server, `certificates that ${hosts.join(', ').slice(0, 300)} get in different ways`)
  return first
}

/** Returns true when plain HTTP redirects to HTTPS. Caddy does that by itself where no route says otherwise. */
function forcesHttps(
  group: HostGroup,
  secure: RoutesReading,
  on: { httpsPort: number; reading: SiteReading },
): boolean {
  const { http, hosts } = group
  if (http === undefined) return true
  const plain = readRoutes(http.view.steps, new SiteReading(on.reading.site, on.reading.options))
  const location = plain.site.redirect
  const usual = [...hosts.map((host) => `https://${host}`), 'https://{http.request.host}']
  const isToHttps = usual.some((base) => location?.to === base || location?.to === `${base}:${on.httpsPort}`)
  if (plain.site.kind === 'redirect' && isToHttps && location?.keep_path) return true
  const bare = ({ site: { hsts: _hsts, ...site }, hashes }: RoutesReading) => ({ site, hashes })
  if (isDeepStrictEqual(bare(plain), bare(secure))) return false
  const [first] = http.view.routes
  return giveUp(first ?? http.server, 'other answers over plain HTTP than over HTTPS')
}

/** The number in the `@id` of a route of ours. */
function idOf({ view }: HostSide): number | undefined {
  for (const route of view.routes) {
    const id = at(route, '@id')?.value
    const number = typeof id === 'string' && /^site-(\d{1,15})(-wildcards)?(-http)?$/.exec(id)?.[1]
    if (number) return Number(number)
  }
  return undefined
}

function readLog(
  server: JsonLocation,
  host: string,
  { root, id }: { root: JsonLocation; id: number | undefined },
): SiteRecord['log'] {
  const names = at(server, 'logs', 'logger_names')
  const entry = at(names, host)
  const name = textsOf(entry)?.[0] ?? entry?.value
  return {
    enabled: id === undefined || name !== 'off',
    own_file: id !== undefined && isObject(at(root, 'logging', 'logs', `site-${id}`)?.value),
  }
}

/** The site with the directives it was written with. Undefined when they do not say all: how TLS is done stands elsewhere. */
function rawSite(
  group: HostGroup,
  raw: string,
  { root, options }: { root: JsonLocation; options: ReadOptions },
): ImportedSite | undefined {
  const name = group.hosts[0] ?? ''
  const reading = new SiteReading(name, options)
  try {
    const { tls } = readTlsOf(group, root, reading)
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
