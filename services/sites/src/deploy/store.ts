import type { Page } from '@hearth/database'
import { type Kysely, sql } from 'kysely'
import type { SiteStateRow, SiteTables, SiteVersionRow } from '../sites/tables.ts'
import type { NodeTables } from './nodes/tables.ts'
import type { ApplyTables, RevisionRow, RevisionSiteRow } from './tables.ts'

/** The tables the applying of changes reads and writes. */
export type Db = Kysely<ApplyTables & SiteTables & NodeTables>

/** Reads the states of the sites on one node. */
export function statesOfNode(db: Db, nodeId: number): Promise<SiteStateRow[]> {
  return db.selectFrom('site_states').selectAll().where('node_id', '=', nodeId).execute()
}

/** Returns the sites that each node runs a version of, by its id. */
export async function runningSites(db: Db): Promise<Map<number, Set<number>>> {
  const rows = await db
    .selectFrom('site_states')
    .select(['node_id', 'site_id'])
    .where('applied_revision', 'is not', null)
    .execute()
  const byNode = Map.groupBy(rows, ({ node_id: id }) => id)
  return new Map(Array.from(byNode, ([id, sites]) => [id, new Set(sites.map(({ site_id: site }) => site))]))
}

/** Versions of sites, one a site, each by its site and number; those that are not there are left out. */
export async function findVersions(
  db: Db,
  wanted: readonly { readonly siteId: number; readonly revision: number }[],
): Promise<SiteVersionRow[]> {
  const found: SiteVersionRow[] = []
  for (let at = 0; at < wanted.length; at += rowsAtOnce) {
    const part = wanted.slice(at, at + rowsAtOnce)
    const revisions = new Map(part.map(({ siteId, revision }) => [siteId, revision]))
    const numbers = [...new Set(revisions.values())]
    const rows = await db
      .selectFrom('site_versions')
      .selectAll()
      .where('site_id', 'in', [...revisions.keys()])
      .where('revision', 'in', numbers)
      .orderBy('site_id')
      .execute()
    found.push(...rows.filter((row) => revisions.get(row.site_id) === row.revision))
  }
  return found
}

/** Rows written at once; a statement may have only so many parameters. */
const rowsAtOnce = 500

/** Replaces what is known of these sites on a node; a site that is neither run nor refused is forgotten. */
export async function putStates(db: Db, rows: readonly SiteStateRow[]): Promise<void> {
  const isKept = (row: SiteStateRow) => row.applied_revision !== null || row.error !== null
  const kept = rows.filter(isKept)
  for (const row of rows.filter((row) => !isKept(row)))
    await db.deleteFrom('site_states').where('site_id', '=', row.site_id).where('node_id', '=', row.node_id).execute()
  for (let at = 0; at < kept.length; at += rowsAtOnce) {
    await db
      .insertInto('site_states')
      .values(kept.slice(at, at + rowsAtOnce))
      .onConflict((conflict) =>
        conflict.columns(['site_id', 'node_id']).doUpdateSet((row) => ({
          applied_revision: row.ref('excluded.applied_revision'),
          refused_revision: row.ref('excluded.refused_revision'),
          error: row.ref('excluded.error'),
        })),
      )
      .execute()
  }
}

/** Writes a revision with what it changed, under the next number. */
export async function insertRevision(
  db: Db,
  row: Omit<RevisionRow, 'id'>,
  sites: readonly Omit<RevisionSiteRow, 'revision_id'>[],
): Promise<number> {
  const { last } = await db
    .selectFrom('revisions')
    .select((found) => found.fn.max('id').as('last'))
    .executeTakeFirstOrThrow()
  const id = (last ?? 0) + 1
  await db
    .insertInto('revisions')
    .values({ ...row, id })
    .execute()
  for (let at = 0; at < sites.length; at += rowsAtOnce) {
    const part = sites.slice(at, at + rowsAtOnce).map((site) => Object.assign({ revision_id: id }, site))
    await db.insertInto('revision_sites').values(part).execute()
  }
  return id
}

export async function listRevisions(db: Db, page: { limit: number; offset: number }): Promise<Page<RevisionRow>> {
  const { count } = await db
    .selectFrom('revisions')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('revisions')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total: count }
}

export function findRevision(db: Db, id: number): Promise<RevisionRow | undefined> {
  return db.selectFrom('revisions').selectAll().where('id', '=', id).executeTakeFirst()
}

export function sitesOfRevisions(db: Db, ids: readonly number[]): Promise<RevisionSiteRow[]> {
  if (ids.length === 0) return Promise.resolve([])
  return db.selectFrom('revision_sites').selectAll().where('revision_id', 'in', ids).orderBy('site_id').execute()
}

/** Reads the version of each site that a revision left in place: the newest change of each up to it. */
export async function sitesAtRevision(db: Db, id: number): Promise<RevisionSiteRow[]> {
  const newest = db
    .selectFrom('revision_sites')
    .select((row) => ['site_id', row.fn.max('revision_id').as('revision_id')])
    .where('revision_id', '<=', id)
    .groupBy('site_id')
    .as('newest')
  return await db
    .selectFrom('revision_sites')
    .innerJoin(newest, (join) =>
      join
        .onRef('newest.site_id', '=', 'revision_sites.site_id')
        .onRef('newest.revision_id', '=', 'revision_sites.revision_id'),
    )
    .selectAll('revision_sites')
    .where('revision_sites.after_revision', 'is not', null)
    .orderBy('revision_sites.site_id')
    .execute()
}

/** The newest revision of which something runs. */
export async function currentRevision(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('revisions')
    .select('id')
    .where('outcome', '!=', 'failed')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Revisions that are kept; what was before the oldest of them cannot be returned to. */
export const keptRevisions = 1000
/** Interval of pruning, in revisions. */
const every = 50

/**
 * Forgets what is older than the kept revisions. The oldest one that stays takes over what the sites were by then, so that each
 * one that is kept can be returned to. Call it in the transaction that added `newest`.
 */
export async function pruneRevisions(trx: Db, newest: number, kept = keptRevisions): Promise<void> {
  if (newest % Math.min(every, kept) !== 0) return
  const oldest = newest - kept + 1
  const before = await trx.selectFrom('revisions').select('id').where('id', '<', oldest).limit(1).executeTakeFirst()
  const base = await trx.selectFrom('revisions').select('id').where('id', '=', oldest).executeTakeFirst()
  if (before === undefined || base === undefined) return
  const sites = await sitesAtRevision(trx, oldest)
  const own = await trx.selectFrom('revision_sites').select('site_id').where('revision_id', '=', oldest).execute()
  const changed = new Set(own.map((row) => row.site_id))
  // A change from a version to itself: what was there already.
  const there = sites
    .filter((site) => !changed.has(site.site_id))
    .map((site) => Object.assign(site, { revision_id: oldest, before_revision: site.after_revision }))
  await trx.deleteFrom('revisions').where('id', '<', oldest).execute()
  for (let at = 0; at < there.length; at += 500)
    await trx
      .insertInto('revision_sites')
      .values(there.slice(at, at + 500))
      .execute()
  await pruneVersions(trx)
}

/** A version goes when no revision, no site and no server refers to it; the newest of each site keeps numbers from coming back. */
async function pruneVersions(trx: Db): Promise<void> {
  await sql`
    delete from site_versions where
      revision < (select max(newest.revision) from site_versions newest where newest.site_id = site_versions.site_id)
      and not exists (select 1 from revision_sites used where used.site_id = site_versions.site_id
        and (used.after_revision = site_versions.revision or used.before_revision = site_versions.revision))
      and not exists (select 1 from sites where sites.id = site_versions.site_id and sites.revision = site_versions.revision)
      and not exists (select 1 from site_states state where state.site_id = site_versions.site_id
        and state.applied_revision = site_versions.revision)
  `.execute(trx)
}
