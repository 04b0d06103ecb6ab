import { probeName } from '../certificates/grader/handshake.ts'
import { isWildcard } from '../sites/domains.ts'
import type { SiteRecord } from '../sites/schema.ts'
import type { CaddyEndpoint, SiteTarget } from './probe/check-site.ts'

/** A Caddy server, as far as the checks of its sites are concerned. */
export interface WatchedServer {
  readonly id: number
  readonly name: string
  /** Undefined while the service's own Caddy does not run. */
  readonly endpoint: CaddyEndpoint | undefined
}

/** A site as far as its checks are concerned. */
export interface SiteToWatch {
  readonly id: number
  readonly name: string
  readonly record: SiteRecord
  /** Caddy servers that run a version of the site. */
  readonly servers: readonly WatchedServer[]
}

/** The subject of a site's check. */
export const siteSubject = (id: number): string => `site:${id}`

/** The subject of an upstream's check. */
export const upstreamSubject = (address: string): string => `upstream:${address}`

/** Returns why a site is not checked; undefined when it is. */
export function offReason({ record, servers }: SiteToWatch): string | undefined {
  if (!record.enabled) return 'The site is switched off.'
  if (!record.check.enabled) return 'Checks of this site are switched off.'
  const { tls, domains } = record
  if (tls.mode === 'on_demand' && domains.every(isWildcard))
    return 'A check would order a certificate for a name below the wildcard.'
  return servers.length > 0 ? undefined : 'Caddy does not serve the site yet.'
}

/** Returns the name under which a site is requested: the first that is no wildcard, where there is one. */
export const firstName = (domains: readonly string[]): string =>
  domains.find((domain) => !isWildcard(domain)) ?? domains[0] ?? ''

/**
 * Returns what is requested of a site. `hasOwnAuthority` is true when the settings name another authority than a public one, whose
 * certificates need not be trusted here.
 */
export function siteTarget({ record }: SiteToWatch, hasOwnAuthority: boolean): SiteTarget {
  const { domains, tls, check, reach } = record
  const isPublic = (tls.mode === 'auto' || tls.mode === 'on_demand') && !tls.staging && tls.acme_ca === null
  return {
    host: probeName(firstName(domains)),
    domains,
    isTls: tls.mode !== 'off',
    needsTrust: isPublic && !hasOwnAuthority,
    isHandshake: tls.mode !== 'off' && tls.client_auth_ca_id !== null,
    isLimited: reach !== 'everyone',
    settings: check,
  }
}
