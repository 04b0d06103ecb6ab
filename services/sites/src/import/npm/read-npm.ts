import { whyNotPublic } from '../../sites/domains.ts'
import { ImportReport } from '../config/site-reading.ts'
import { isObject } from '../config/json-location.ts'
import { domainsIn, flagIn, type HashPassword, jsonIn, NpmAccessLists, numberIn, textIn } from './npm-access.ts'
import type { NpmRow, NpmTables } from './npm-database.ts'
import { readLocations, upstreamOf } from './npm-locations.ts'
import { maxNginxFile, NginxUnreadable, readDirectives } from '../nginx/nginx-directives.ts'
import { checkAll, findsVisitors } from '../nginx/server-checks.ts'
import type { ImportedSite, ImportReading, SiteInput } from '../config/read-config.ts'
import type { FoundCertificate } from '../config/read-tls.ts'

/** Dependencies of reading the tables. */
export interface NpmDependencies {
  readonly hashPassword: HashPassword
  /** The files of an uploaded certificate (`custom_ssl/npm-<id>`), where they are at hand. */
  readonly customCertificate?: (id: number) => Promise<FoundCertificate | undefined>
}

/** Sites that are read at most. */
const maxSites = 5000
/** Directives of nginx that decide who may come, or what is answered, beside those that no site of nginx is imported with. */
const decisive = /^(deny|allow|return|limit_\w+|location|root|alias|\w+_pass|try_files)$/

/**
 * Reads the hosts of Nginx Proxy Manager: proxy hosts, redirection hosts and dead hosts become sites, with their access lists.
 * Hosts that are switched off stay so. What Caddy cannot do, or nginx did otherwise, is in the report; a host that would stand
 * more open than before is switched off.
 */
export async function readNpm(tables: NpmTables, dependencies: NpmDependencies): Promise<ImportReading> {
  const reader = new NpmReader(tables, dependencies)
  const hosts = [
    ...tables.proxy_host.map((row) => ['proxy_host', row] as const),
    ...tables.redirection_host.map((row) => ['redirection_host', row] as const),
    ...tables.dead_host.map((row) => ['dead_host', row] as const),
  ]
  const sites: ImportedSite[] = []
  for (const [table, row] of hosts.slice(0, maxSites)) {
    const site = await reader.host(table, row)
    if (site !== undefined) sites.push(site)
  }
  if (hosts.length > maxSites)
    reader.report.leftOut(
      { path: '/' },
      `${hosts.length - maxSites} hosts more than the ${maxSites} that can be imported at once`,
    )
  for (const stream of tables.stream) reader.stream(stream)
  return { sites, report: reader.report.items(), closed: reader.closed }
}

type HostTable = 'proxy_host' | 'redirection_host' | 'dead_host'

/** One host while it is read. */
interface Host {
  readonly row: NpmRow
  readonly path: string
  readonly domains: readonly string[]
  readonly note: (outcome: 'changed' | 'lost', what: string) => void
}

class NpmReader {
  readonly report = new ImportReport()
  /** Names of hosts that are left out or switched off here. */
  readonly closed: string[] = []
  readonly #tables: NpmTables
  readonly #dependencies: NpmDependencies
  readonly #lists: NpmAccessLists

  constructor(tables: NpmTables, dependencies: NpmDependencies) {
    this.#tables = tables
    this.#dependencies = dependencies
    this.#lists = new NpmAccessLists(tables, dependencies.hashPassword)
  }

  async host(table: HostTable, row: NpmRow): Promise<ImportedSite | undefined> {
    const path = `${table} ${numberIn(row, 'id')}`
    const domains = [...new Set(domainsIn(row))]
    const site = domains[0] ?? null
    const wasEnabled = row['enabled'] === undefined || flagIn(row, 'enabled')
    const leaveOut = (what: string) => {
      this.report.leftOut({ path }, what, site)
      if (wasEnabled) this.closed.push(...domains)
      return undefined
    }
    if (domains.length === 0) return leaveOut('a host without names')
    const host: Host = { row, path, domains, note: (outcome, what) => this.report.add({ outcome, path, what, site }) }
    const target =
      table === 'proxy_host' ? readProxyHost(host) : table === 'redirection_host' ? readRedirection(host) : deadHost
    if ('problem' in target) return leaveOut(target.problem)
    const { tls, certificate, isSecure } = await this.#tls(host)
    const access = await this.#access(host)
    noteOptions(host)
    const isSafe = access.isSafe && !isDecisive(host)
    if (!isSafe && wasEnabled) this.closed.push(...domains)
    return {
      path,
      site: {
        site_name: domains[0] ?? '',
        domains: [...domains],
        ...target,
        ...access.members,
        tls,
        force_https: isSecure && flagIn(row, 'ssl_forced'),
        hsts:
          isSecure && flagIn(row, 'hsts_enabled')
            ? { max_age: 63_072_000, subdomains: flagIn(row, 'hsts_subdomains'), preload: true }
            : null,
        enabled: isSafe && wasEnabled,
      },
      hashes: access.hashes,
      ...(certificate && { certificate }),
    }
  }

  stream(row: NpmRow): void {
    const to = `${textIn(row, 'forwarding_host') || textIn(row, 'forward_ip')}:${textIn(row, 'forwarding_port')}`
    this.report.leftOut(
      { path: `stream ${numberIn(row, 'id')}` },
      `the stream from port ${numberIn(row, 'incoming_port')} to ${to.slice(0, 200)}: not possible with stock Caddy`,
    )
  }

  async #access({ row, note }: Host) {
    const id = numberIn(row, 'access_list_id')
    if (id === 0) return { members: {}, hashes: {}, isSafe: true }
    const list = await this.#lists.list(id)
    if (list === undefined) {
      note('changed', `the access list ${id}, which is not there; the site is switched off`)
      return { members: {}, hashes: {}, isSafe: false }
    }
    for (const difference of list.differences) note('changed', difference)
    if (list.isTooOpen) note('changed', 'nobody of the access list can be taken over; the site is switched off')
    return {
      members: {
        basic_auth: Object.keys(list.hashes).map((username) => ({ username })),
        access: { allow: [...list.allow], deny: [...list.deny] },
        request_headers: [...list.requestHeaders],
      } satisfies Partial<SiteInput>,
      hashes: list.hashes,
      isSafe: !list.isTooOpen,
    }
  }

  async #tls(host: Host): Promise<{ tls: SiteInput['tls']; certificate?: FoundCertificate; isSecure: boolean }> {
    const id = numberIn(host.row, 'certificate_id')
    if (id === 0) return { tls: { mode: 'off' }, isSecure: false }
    const mode = host.domains.every((domain) => whyNotPublic(domain) === undefined) ? 'auto' : 'internal'
    const row = this.#tables.certificate.find((certificate) => numberIn(certificate, 'id') === id)
    if (row !== undefined && textIn(row, 'provider') === 'letsencrypt') {
      const meta = jsonIn(row, 'meta') as { dns_challenge?: unknown } | null | undefined
      if (meta?.dns_challenge)
        host.note('changed', 'a certificate that is got by DNS; Caddy looks for other ways, and has none for wildcards')
      return { tls: { mode }, isSecure: true }
    }
    const certificate = row && (pemOf(row) ?? (await this.#dependencies.customCertificate?.(id)))
    if (certificate !== undefined) return { tls: { mode: 'custom' }, certificate, isSecure: true }
    host.note(
      'changed',
      `the certificate ${id}, whose files are not at hand; until it is uploaded, Caddy gets one itself`,
    )
    return { tls: { mode }, isSecure: true }
  }
}

/** Uploaded certificates stand in the database as well. */
function pemOf(row: NpmRow): FoundCertificate | undefined {
  const meta = jsonIn(row, 'meta') as Record<string, unknown> | null | undefined
  const [certificate, key, chain] = ['certificate', 'certificate_key', 'intermediate_certificate'].map(
    (name) => meta?.[name],
  )
  if (typeof certificate !== 'string' || typeof key !== 'string') return undefined
  return { certificate: typeof chain === 'string' ? `${certificate.trimEnd()}\n${chain}` : certificate, key }
}

type TargetMembers = Pick<SiteInput, 'kind' | 'upstreams' | 'upstream_tls' | 'redirect' | 'respond' | 'paths'>

function readProxyHost({ row, note }: Host): TargetMembers | { problem: string } {
  const upstream = upstreamOf({
    scheme: textIn(row, 'forward_scheme') || 'http',
    host: textIn(row, 'forward_host') || textIn(row, 'forward_ip'),
    port: numberIn(row, 'forward_port'),
  })
  if (upstream === undefined)
    return { problem: 'a host that is forwarded to something else than a server and its port' }
  if (flagIn(row, 'caching_enabled')) note('lost', 'caching of images, scripts and styles')
  if (flagIn(row, 'block_exploits')) note('lost', 'the rules against common attacks')
  if (flagIn(row, 'trust_forwarded_proto'))
    note(
      'lost',
      'that X-Forwarded-Proto of visitors is trusted; see the proxies that are trusted in the settings of the node',
    )
  return { kind: 'proxy', ...upstream, paths: readLocations(jsonIn(row, 'locations'), note) }
}

const codes: Readonly<Record<number, 301 | 302 | 307 | 308>> = { 301: 301, 302: 302, 307: 307, 308: 308 }

function readRedirection({ row, note }: Host): TargetMembers | { problem: string } {
  const name = textIn(row, 'forward_domain_name')
  if (!/^[A-Za-z0-9.:[\]_-]+(\/[^\s{}$]*)?$/.test(name))
    return { problem: 'a redirect to something that is no address' }
  const scheme = textIn(row, 'forward_scheme')
  const isFixed = scheme === 'http' || scheme === 'https'
  const isSecure = numberIn(row, 'certificate_id') !== 0
  if (!isFixed && isSecure && !flagIn(row, 'ssl_forced'))
    note('changed', 'a redirect that keeps the scheme; now it leads to https')
  const status = numberIn(row, 'forward_http_code') || 301
  const code = codes[status]
  if (code === undefined) note('changed', `the status ${status} of a redirect, which becomes 302`)
  const to = `${isFixed ? scheme : isSecure ? 'https' : 'http'}://${name}`
  return { kind: 'redirect', redirect: { to, code: code ?? 302, keep_path: flagIn(row, 'preserve_path') } }
}

const deadHost: TargetMembers = { kind: 'respond', respond: { status: 404, body: 'Not found\n' } }

function noteOptions({ row, note }: Host): void {
  const text = configOf(row)
  if (text !== '') note('lost', `directives of nginx: ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`)
}

function isDecisive({ row, note }: Host): boolean {
  const locations = jsonIn(row, 'locations')
  const inner = Array.isArray(locations) ? locations.filter(isObject) : []
  const hasList = numberIn(row, 'access_list_id') !== 0
  if (![row, ...inner].some((one) => decides(textIn(one, 'advanced_config'), hasList))) return false
  note('changed', 'the directives may decide who may come or what is answered, so the site is switched off')
  return true
}

/** True for directives that may decide who may come or what is answered, with an access list or without, and for what is none. */
function decides(text: string, hasList: boolean): boolean {
  if (text.length > maxNginxFile) return true
  try {
    const directives = readDirectives(text)
    let isDecided = hasList && findsVisitors(directives)
    const unsafe = () => {
      isDecided = true
    }
    checkAll(directives, { lost: () => undefined, unsafe })
    return isDecided || directives.some(({ name }) => decisive.test(name))
  } catch (error) {
    if (!(error instanceof NginxUnreadable)) throw error
    return true
  }
}

/** The directives of a host without comments. */
const configOf = (row: NpmRow) =>
  textIn(row, 'advanced_config')
    .slice(0, 100_000)
    .replaceAll(/#[^\n]*/g, '')
    .trim()
