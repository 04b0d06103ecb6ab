import { isIP } from 'node:net'
import { probeName } from '../../certificates/grader/handshake.ts'
import { firstName, siteTarget, type SiteToWatch, type WatchedServer } from '../site-targets.ts'
import type { SiteTarget } from './check-site.ts'

/** One check of a site: of one of its names, at one server. */
export interface Probe {
  readonly key: string
  readonly name: string
  readonly server: WatchedServer
  readonly target: SiteTarget
}

/** All checks of a site. */
export interface SiteProbes {
  /** The request under the first name, at each server. */
  readonly first: readonly Probe[]
  /** TLS handshakes under the other names, at each server. */
  readonly further: readonly Probe[]
  /** Says which other names are not checked; undefined when all are. */
  readonly unchecked: string | undefined
}

/** Most names beside the first whose certificates are checked. */
const maxNames = 20

/**
 * Returns the checks of a site. All names of a site have the same routes, so one is requested; each may have another certificate, so
 * of the others the handshake is checked.
 */
export function probesOf(site: SiteToWatch, hasOwnAuthority: boolean): SiteProbes {
  const { domains, tls } = site.record
  const first = firstName(domains)
  const target = siteTarget(site, hasOwnAuthority)
  const others = domains.filter((name) => name !== first)
  const none = others.length === 0 ? undefined : reasonAgainst(tls.mode)
  const fit = none === undefined ? others.filter((name) => isIP(name) === 0) : []
  const names = fit.slice(0, maxNames)
  const probe = (name: string, server: WatchedServer, of: SiteTarget): Probe => {
    return { key: `${server.id} ${name}`, name, server, target: of }
  }
  return {
    first: site.servers.map((server) => probe(first, server, target)),
    further: names.flatMap((name) =>
      site.servers.map((server) => probe(name, server, { ...target, host: probeName(name), isHandshake: true })),
    ),
    unchecked: none ?? textOf({ addresses: others.length - fit.length, beyond: fit.length - names.length }),
  }
}

function reasonAgainst(mode: SiteToWatch['record']['tls']['mode']): string | undefined {
  if (mode === 'off') return 'Without TLS the other names differ in nothing, and are not checked.'
  return mode === 'on_demand' ? 'A check of the other names would order certificates for them.' : undefined
}

function textOf({ addresses, beyond }: { addresses: number; beyond: number }): string | undefined {
  const parts = [
    ...(beyond > 0 ? [`${maxNames} names beside the first are checked, and ${beyond} more are not.`] : []),
    ...(addresses > 0 ? ['Addresses beside the first name are not checked.'] : []),
  ]
  return parts.length > 0 ? parts.join(' ') : undefined
}
