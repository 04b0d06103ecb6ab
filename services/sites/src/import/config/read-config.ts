import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { readDomain } from '../../sites/domains.ts'
import type { SiteCreate } from '../../sites/schema.ts'
import { boundsProblem, configBounds, groupHosts, type HostGroup } from './group-hosts.ts'
import { ImportReport, type ReadOptions } from './site-reading.ts'
import { at, isObject, type JsonLocation } from './json-location.ts'
import { readOtherParts } from './read-other-parts.ts'
import { readSiteOf } from './read-site-of.ts'
import type { ReportItem } from '../schema.ts'
import type { FoundCertificate } from './read-tls.ts'

/** Input of `SiteCreate`. */
export type SiteInput = z.input<typeof SiteCreate>

/** A site as it was found, with what is not part of what a person writes. */
export interface ImportedSite {
  /** Its location: a JSON pointer, a line, or a table and its row. */
  readonly path: string
  readonly site: SiteInput
  /** Bcrypt hashes of the users of basic authentication, by name. */
  readonly hashes: Readonly<Record<string, string>>
  /** A certificate that has to be uploaded first; the site has the mode `custom` without a number then. */
  readonly certificate?: FoundCertificate
  /** The number the site had in a configuration of ours, from its `@id`. */
  readonly id?: number
}

/** Sites that were found, and what could not be taken over. */
export interface ImportReading {
  readonly sites: readonly ImportedSite[]
  readonly report: readonly ReportItem[]
  /** Names whose sites are left out or switched off, so that a site with a wildcard must not answer for them instead. */
  readonly closed?: readonly string[]
  /** Address for the public authority, where the configuration names one. */
  readonly acmeEmail?: string
}

/**
 * Reads sites from a configuration of Caddy, as a node runs it or as a Caddyfile was adapted to it. Never throws, whatever the
 * value is. A site is taken over only when it answers as the routes do, apart from what the report calls changed or lost; all
 * else is in the report as left out.
 *
 * For a configuration that `compileConfig` made, each site that is enabled and not raw comes back as it was, but for what is not
 * in a configuration or means nothing in it:
 * - names are lost, sites are named after their first domain; `id` says which one it was;
 * - domains come exact names first; paths, redirects and headers that are changed together come in the order in which they
 *   count; prefixes lose slashes at their end; schemes, hosts and ports of upstreams are written out;
 * - members of other kinds than the site's or path's own are the defaults, as are `lb.policy`, `lb.name` and `lb.choose` with one
 *   upstream, weights under other policies than `weighted_round_robin`, `upstream_tls` with upstreams that have no TLS, and the
 *   members of maintenance while it is off;
 * - `hsts` is lost on sites with `tls.mode` `off`, and one set by `response_headers` becomes `hsts`;
 * - `force_https` is false with `tls.mode` `off`, and true where client certificates are demanded;
 * - `tls.certificate_id` needs `isOurs`; numbers of authorities need `authorityOf`; an authority that is the one of the settings
 *   becomes the site's own;
 * - `timeouts.websocket_close_delay` is null where it is that of the settings (`streamCloseDelay`); a policy that needs a name comes
 *   with the one it uses; `log` is the default where the node writes no access log;
 * - what the node's Caddy cannot do is lost, as the notes of the compiler say.
 */
export function readConfig(config: unknown, options: ReadOptions = {}): ImportReading {
  const report = new ImportReport()
  const problem = isObject(config) ? boundsProblem(config) : 'is no configuration of Caddy'
  if (problem !== undefined) {
    report.leftOut({ path: '/' }, `the whole: it ${problem}`)
    return { sites: [], report: report.items() }
  }
  const root = { value: config, path: '' }
  const http = at(root, 'apps', 'http')
  const { sites, closed } = http === undefined ? { sites: [], closed: [] } : readHttp(http, root, { report, options })
  const { acmeEmail } = readOtherParts(root, report, options.isOurs === true)
  return { sites, report: report.items(), closed, ...(acmeEmail !== undefined && { acmeEmail }) }
}

function readHttp(
  http: JsonLocation,
  root: JsonLocation,
  { report, options }: { report: ImportReport; options: ReadOptions },
): { sites: ImportedSite[]; closed: string[] } {
  const all = groupHosts(http, report, options)
  const groups = all.filter((group) => isGroupOfNames(group, report))
  const sites = groups
    .slice(0, configBounds.sites)
    .flatMap((group) => readSiteOf(group, { root, options }, report) ?? [])
  if (groups.length > configBounds.sites)
    report.leftOut(
      http,
      `${groups.length - configBounds.sites} sites more than the ${configBounds.sites} that can be imported at once`,
    )
  const open = new Set(sites.flatMap(({ site }) => (site.enabled === false ? [] : (site.domains ?? []))))
  return {
    sites: joinParts(sites),
    closed: all.flatMap(({ hosts }) => hosts).filter((host) => !open.has(host)),
  }
}

/** Returns true when sites can have these hosts. */
function isGroupOfNames(group: HostGroup, report: ImportReport): boolean {
  const wrong = group.hosts.find((host) => 'problem' in readDomain(host))
  if (wrong === undefined) return true
  report.leftOut(group, `${wrong.slice(0, 100)} is no name a site can have`, group.hosts[0])
  return false
}

/** Puts together a site of ours whose wildcards have a route of their own. */
function joinParts(sites: readonly ImportedSite[]): ImportedSite[] {
  const joined: ImportedSite[] = []
  for (const site of sites) {
    const index = joined.findIndex((other) => other.id !== undefined && other.id === site.id && isSamePart(other, site))
    const other = joined[index]
    if (other === undefined) joined.push(site)
    else
      joined[index] = {
        ...other,
        site: { ...other.site, domains: [...(other.site.domains ?? []), ...(site.site.domains ?? [])] },
      }
  }
  return joined
}

function isSamePart({ site: one }: ImportedSite, { site: other }: ImportedSite): boolean {
  const bare = ({ domains: _domains, site_name: _name, ...rest }: SiteInput) => rest
  return isDeepStrictEqual(bare(one), bare(other))
}
