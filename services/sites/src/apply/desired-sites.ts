import { wantedOfRow, type WantedSite } from '../sites/site-change.ts'
import type { SiteRow, SiteStateRow, SiteVersionRow } from '../sites/tables.ts'

/** One site in the version it is to be served in. */
export interface DesiredSite extends WantedSite {
  readonly id: number
  readonly revision: number
  readonly name: string
}

/** Reads rows into sites, and remembers them: most sites are the same from one change to the next. */
export interface SiteReader {
  /** The enabled ones of these rows. */
  read(rows: readonly SiteRow[]): DesiredSite[]
}

export function createSiteReader(): SiteReader {
  let known = new Map<number, DesiredSite>()
  return {
    read(rows) {
      const next = new Map<number, DesiredSite>()
      for (const row of rows) {
        if (row.enabled !== 1) continue
        const before = known.get(row.id)
        const isSame = before?.revision === row.revision
        next.set(row.id, isSame ? before : { id: row.id, revision: row.revision, name: row.name, ...wantedOfRow(row) })
      }
      known = next
      return [...next.values()]
    },
  }
}

/** A site as it was. */
export function siteOfVersion(row: SiteVersionRow): DesiredSite {
  return { id: row.site_id, revision: row.revision, name: row.name, ...wantedOfRow(row) }
}

/** Refused sites are served as they were last applied; one that never was is left out. */
export function withFallbacks(
  sites: readonly DesiredSite[],
  quarantined: ReadonlyMap<number, string>,
  fallbacks: ReadonlyMap<number, DesiredSite>,
): DesiredSite[] {
  if (quarantined.size === 0) return [...sites]
  return sites.flatMap((site) => {
    if (!quarantined.has(site.id)) return [site]
    const fallback = fallbacks.get(site.id)
    return fallback === undefined || fallback.revision === site.revision ? [] : [fallback]
  })
}

/** What a node makes of the sites, now that it runs `running` and has refused the quarantined ones. */
export function statesAfter(
  nodeId: number,
  before: readonly SiteStateRow[],
  now: {
    readonly desired: readonly DesiredSite[]
    readonly running: readonly DesiredSite[]
    readonly quarantined: ReadonlyMap<number, string>
  },
): SiteStateRow[] {
  const running = new Map(now.running.map((site) => [site.id, site.revision]))
  const wanted = new Map(now.desired.map((site) => [site.id, site.revision]))
  const ids = new Set([...before.map((state) => state.site_id), ...wanted.keys()])
  const known = new Map(before.map((state) => [state.site_id, state]))
  return [...ids].flatMap((id) => {
    const error = now.quarantined.get(id) ?? null
    const after: SiteStateRow = {
      site_id: id,
      node_id: nodeId,
      applied_revision: running.get(id) ?? null,
      refused_revision: error === null ? null : (wanted.get(id) ?? null),
      error,
    }
    const old = known.get(id)
    const isSame =
      old?.applied_revision === after.applied_revision &&
      old.refused_revision === after.refused_revision &&
      old.error === after.error
    return isSame ? [] : [after]
  })
}
