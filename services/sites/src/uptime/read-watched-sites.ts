import type { Kysely } from 'kysely'
import type { SiteRecord } from '../sites/schema.ts'
import { wantedOfRow } from '../sites/site-change.ts'
import { siteHeads, siteRowsOf } from '../sites/store.ts'
import type { SiteRow, SiteTables } from '../sites/tables.ts'
import type { SiteToWatch, WatchedServer } from './site-targets.ts'

/** What is remembered of a site that was read. */
interface KnownSite {
  readonly head: Pick<SiteRow, 'revision' | 'updated_at'>
  readonly name: string
  readonly record: SiteRecord
}

/** Creates a reader of all sites that reads only those that have changed since the last time. */
export function createReadWatchedSites(db: Kysely<SiteTables>) {
  let known = new Map<number, KnownSite>()
  return async (serversOf: (id: number) => readonly WatchedServer[]): Promise<SiteToWatch[]> => {
    const heads = await siteHeads(db)
    const isSame = ({ id, revision, updated_at: at }: (typeof heads)[number]) => {
      const before = known.get(id)?.head
      return before?.revision === revision && before.updated_at === at
    }
    const rows = await siteRowsOf(
      db,
      heads.filter((head) => !isSame(head)).map(({ id }) => id),
    )
    const fresh = new Map(rows.map((row) => [row.id, knownOf(row)] as const))
    known = new Map(
      heads.flatMap(({ id }) => {
        const site = fresh.get(id) ?? known.get(id)
        return site === undefined ? [] : [[id, site] as const]
      }),
    )
    return Array.from(known, ([id, { name, record }]) => ({ id, name, record, servers: serversOf(id) }))
  }
}

const knownOf = (row: SiteRow): KnownSite => ({
  head: { revision: row.revision, updated_at: row.updated_at },
  name: row.name,
  record: wantedOfRow(row).record,
})
