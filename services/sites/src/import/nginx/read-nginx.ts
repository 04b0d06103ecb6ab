import { whyNotPublic } from '../../sites/domains.ts'
import type { ImportedSite, ImportReading, SiteInput } from '../config/read-config.ts'
import { ImportReport } from '../config/site-reading.ts'
import { type Directive, readDirectives } from './nginx-directives.ts'
import { accessOf } from './read-access.ts'
import type { UpstreamGroup } from './read-location.ts'
import { readMain, readPaths, variablesOf } from './read-paths.ts'
import { leadsToHttps, readServer, type Server } from './read-server.ts'
import { readUpstream } from './read-upstream.ts'
import { checkAll, findsVisitors, OuterDirectives } from './server-checks.ts'

const maxSites = 5000

/**
 * Reads the server blocks of nginx, also those of SWAG: proxies, redirects, folders and fixed answers become sites, locations their
 * paths. Files that are included are not read. What a site cannot do is in the report; a site that would answer where nginx did not
 * is switched off. Throws `NginxUnreadable`.
 */
export function readNginx(text: string): ImportReading {
  return new NginxReader(readDirectives(text)).read()
}

class NginxReader {
  readonly #report = new ImportReport()
  readonly #servers: readonly Server[]
  readonly #groups: ReadonlyMap<string, UpstreamGroup>
  readonly #outer: OuterDirectives
  /** Names that a server answers over HTTPS. */
  readonly #secure: ReadonlySet<string>
  /** Names that a server leads to HTTPS. */
  readonly #redirected: ReadonlySet<string>

  constructor(directives: readonly Directive[]) {
    const all = directives.flatMap((one) => (one.name === 'http' ? (one.block ?? []) : [one]))
    const lostAt = (place: Directive) => (what: string) => this.#report.lost(placeOf(place), what)
    this.#groups = new Map(
      all
        .filter(({ name }) => name === 'upstream')
        .map((one) => [one.words[0] ?? '', readUpstream(one.block ?? [], lostAt(one))]),
    )
    this.#servers = all.flatMap((one) =>
      one.name === 'server' ? [readServer(one, (what) => this.#report.leftOut(placeOf(one), what))] : [],
    )
    this.#outer = new OuterDirectives(
      all.filter(({ name }) => name !== 'server' && name !== 'upstream'),
      (one, what) => lostAt(one)(what),
    )
    const namesOf = (some: readonly Server[]) => new Set(some.flatMap(({ names }) => names))
    this.#secure = namesOf(this.#servers.filter(({ isSecure }) => isSecure))
    this.#redirected = namesOf(this.#servers.filter(({ onlyRedirects }) => onlyRedirects))
    for (const one of directives)
      if (one.name === 'stream') this.#report.leftOut(placeOf(one), 'streams: not possible with stock Caddy')
  }

  read(): ImportReading {
    if (this.#servers.length === 0) this.#report.leftOut({ path: '/' }, 'there is no block server in the text')
    const sites = this.#servers.flatMap((server) => this.#site(server) ?? [])
    const open = new Set(sites.flatMap(({ site }) => (site.enabled === true ? (site.domains ?? []) : [])))
    const answering = this.#servers.filter(({ onlyRedirects }) => !onlyRedirects)
    const closed = answering.flatMap(({ names }) => names).filter((name) => !open.has(name))
    if (sites.length > maxSites)
      this.#report.leftOut(
        { path: '/' },
        `${sites.length - maxSites} sites more than the ${maxSites} that can be imported at once`,
      )
    return { sites: sites.slice(0, maxSites), report: this.#report.items(), closed }
  }

  /** The names of a server that its site has: what only leads to HTTPS is part of the site that it leads to. */
  #namesOf({ names, directive, block, onlyRedirects }: Server): readonly string[] {
    if (names.length === 0) this.#report.leftOut(placeOf(directive), 'a server without a domain')
    if (!onlyRedirects) return names
    const rest = names.filter((name) => !this.#secure.has(name))
    if (rest.length === 0 || !leadsToHttps(block, rest)) return rest
    this.#report.leftOut(placeOf(directive), 'a redirect to HTTPS, where nothing answers', rest[0] ?? null)
    return []
  }

  #site(server: Server): ImportedSite | undefined {
    const { block, directive, isSecure } = server
    const place = placeOf(directive)
    const names = this.#namesOf(server)
    const [site] = names
    if (site === undefined) return undefined
    const note = (outcome: 'changed' | 'lost', what: string) => this.#report.add({ outcome, ...place, what, site })
    const reasons = this.#reasonsOf(server)
    const context = {
      variables: variablesOf(block),
      groups: this.#groups,
      prefix: '/',
      lost: (what: string) => note('lost', what),
      changed: (what: string) => note('changed', what),
      unsafe: (what: string) => void reasons.add(what),
    }
    checkAll(block, context)
    const main = readMain(block, context)
    if ('problem' in main) {
      this.#report.leftOut(place, main.problem, site)
      return undefined
    }
    const paths = readPaths(block, { ...context, isStatic: main.kind === 'static' })
    if (block.some(({ name }) => name === 'ssl_certificate'))
      note('changed', 'its certificate, whose files are not at hand; until it is uploaded, Caddy gets one itself')
    for (const what of reasons) note('changed', `${what}; the site is switched off`)
    const isPublic = names.every((name) => whyNotPublic(name) === undefined)
    const { isStripped: _isStripped, ...target } = main
    return {
      ...place,
      site: {
        site_name: site,
        domains: [...names],
        ...target,
        paths,
        ...accessOf(block, context.changed),
        tls: { mode: !isSecure ? 'off' : isPublic ? 'auto' : 'internal' },
        force_https: isSecure && names.some((name) => this.#redirected.has(name)),
        hsts: isSecure ? hstsOf(block) : null,
        compression: block.some(({ name, words }) => name === 'gzip' && words[0] === 'on') ? 'gzip' : 'off',
        max_body: bodyOf(block),
        enabled: reasons.size === 0,
      },
      hashes: {},
    }
  }

  /** Why the site of a server would stand more open than before, as far as its own directives do not say it. */
  #reasonsOf({ block, onlyAt }: Server): Set<string> {
    const reasons = new Set(this.#outer.reasonsFor(block))
    const hasNetworks = block.some(({ name, words }) => /^(allow|deny)$/.test(name) && words[0] !== 'all')
    if (hasNetworks && (this.#outer.findsVisitors || findsVisitors(block)))
      reasons.add('networks of visitors behind other proxies (real_ip_header); see the trusted proxies of the node')
    if (onlyAt.length > 0) reasons.add(`it listens on ${onlyAt.join(', ').slice(0, 150)} only`)
    return reasons
  }
}

const placeOf = ({ name, line }: Directive) => ({ path: `${name}, line ${line}` })

function hstsOf(block: readonly Directive[]): SiteInput['hsts'] {
  const header = block.find(
    ({ name, words }) => name === 'add_header' && words[0]?.toLowerCase() === 'strict-transport-security',
  )
  const value = header?.words[1] ?? ''
  const age = Number(/max-age=(\d{1,8})/i.exec(value)?.[1] ?? 0)
  if (age === 0) return null
  return {
    max_age: Math.min(63_072_000, age),
    subdomains: /includesubdomains/i.test(value),
    preload: /preload/i.test(value),
  }
}

const sizes: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

function bodyOf(block: readonly Directive[]): number | null {
  const text = block.find(({ name }) => name === 'client_max_body_size')?.words[0] ?? ''
  const [, number = '0', unit = ''] = /^(\d{1,12})([kmg]?)$/i.exec(text) ?? []
  const bytes = Number(number) * (sizes[unit.toLowerCase()] ?? 1)
  return bytes > 0 ? Math.min(1024 ** 4, bytes) : null
}
