import { wantedOfRow, type WantedSite } from '../sites/site-change.ts'
import type { SiteRow, SiteStateRow, SiteVersionRow } from '../sites/tables.ts'

/** One site in the version it is to be served in. */
export interface DesiredSite extends WantedSite {
  readonly id: number
  readonly revision: number
  readonly name: string
}

/** Reads sites, and remembers them: most are the same from one change to the next, and are not read again. */
export interface SiteReader {
  /** The enabled ones of these sites; `fetch` reads those that are new or changed. */
  read(
    heads: readonly SiteHead[],
    fetch: (ids: readonly number[]) => Promise<readonly SiteRow[]>,
  ): Promise<DesiredSite[]>
}

/** What tells whether a site is another one than before. */
export type SiteHead = Pick<SiteRow, 'id' | 'revision' | 'enabled' | 'updated_at'>

export function createSiteReader(): SiteReader {
  let known = new Map<number, { readonly site: DesiredSite; readonly updatedAt: number }>()
  return {
    async read(heads, fetch) {
      const enabled = heads.filter((head) => head.enabled === 1)
      const isKnown = ({ id, revision, updated_at: updatedAt }: SiteHead) => {
        const before = known.get(id)
        return before?.site.revision === revision && before.updatedAt === updatedAt
      }
      const fresh = await fetch(enabled.filter((head) => !isKnown(head)).map(({ id }) => id))
      const read = new Map(fresh.filter((row) => row.enabled === 1).map((row) => [row.id, desiredSite(row)]))
      const sites = enabled.flatMap(({ id, updated_at: updatedAt }) => {
        const site = read.get(id) ?? known.get(id)?.site
        return site === undefined ? [] : [[id, { site, updatedAt }] as const]
      })
      known = new Map(sites)
      return sites.map(([, { site }]) => site)
    },
  }
}

/** The enabled ones of these rows. */
export const desiredSites = (rows: readonly SiteRow[]): DesiredSite[] =>
  rows.filter((row) => row.enabled === 1).map(desiredSite)

const desiredSite = (row: SiteRow): DesiredSite => ({
  id: row.id,
  revision: row.revision,
  name: row.name,
  ...wantedOfRow(row),
})

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
