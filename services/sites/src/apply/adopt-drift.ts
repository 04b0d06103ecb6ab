import { isDeepStrictEqual } from 'node:util'
import type { ReportItem } from '../onboarding/import-schema.ts'
import type { ImportedSite, ImportReading } from '../onboarding/read-config.ts'
import type { DesiredSite } from './desired-sites.ts'

/** Members of a site that somebody changed. */
export interface ChangedSite {
  readonly id: number
  readonly members: Readonly<Record<string, unknown>>
  /** Hashes of users of basic authentication. */
  readonly hashes: Readonly<Record<string, string>>
}

/** What must be edited so that what somebody else changed is wanted here too. */
export interface AdoptPlan {
  /** Members of sites that are there, by their numbers. */
  readonly changed: readonly ChangedSite[]
  /** Hosts that no site has. */
  readonly added: readonly ImportedSite[]
  /** Sites that are not served any more; they are switched off, not removed. */
  readonly gone: readonly number[]
  /** What cannot be wanted here, and is lost. */
  readonly report: readonly ReportItem[]
}

/**
 * Compares how our configuration reads with how it reads after somebody else changed it. Only what differs between the two is
 * taken over, so what a configuration does not tell, such as names, stays as it is.
 */
export function planAdoption(before: ImportReading, after: ImportReading, sites: readonly DesiredSite[]): AdoptPlan {
  const known = new Set(sites.map(({ id }) => id))
  const earlier = byNumber(before.sites, known)
  const later = byNumber(after.sites, known)
  const changed = [...later].flatMap(([id, site]) => {
    const members = changedMembers(earlier.get(id)?.site ?? {}, site.site)
    return Object.keys(members).length === 0 ? [] : [{ id, members, hashes: site.hashes }]
  })
  const old = new Set(before.report.map((item) => `${item.path} ${item.what}`))
  return {
    changed,
    added: after.sites.filter((site) => site.id === undefined || !known.has(site.id)),
    gone: [...earlier.keys()].filter((id) => !later.has(id)),
    report: after.report.filter((item) => !old.has(`${item.path} ${item.what}`)),
  }
}

function byNumber(sites: readonly ImportedSite[], known: ReadonlySet<number>): Map<number, ImportedSite> {
  return new Map(
    sites.flatMap((site) => (site.id !== undefined && known.has(site.id) ? [[site.id, site] as const] : [])),
  )
}

function changedMembers(before: object, after: object): Record<string, unknown> {
  const old = before as Record<string, unknown>
  const entries = Object.entries(after).filter(
    ([name, value]) => name !== 'site_name' && value !== undefined && !isDeepStrictEqual(old[name], value),
  )
  return Object.fromEntries(entries)
}
