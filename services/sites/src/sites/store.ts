import { likePattern, type Page } from '@hearth/database'
import { sql, type Kysely } from 'kysely'
import type { SiteListQuery } from './list-schema.ts'
import type { SiteRow, SiteStateRow, SiteTables, SiteVersionRow } from './tables.ts'

/** A database with the tables of sites. */
export type Db = Kysely<SiteTables>

export async function listSiteRows(db: Db, listing: SiteListQuery): Promise<Page<SiteRow>> {
  let found = db.selectFrom('sites')
  if (listing.search !== undefined) {
    const pattern = `%${likePattern(listing.search.toLowerCase())}%`
    found = found.where(sql<boolean>`(name_key like ${pattern} escape '\\' or domains like ${pattern} escape '\\')`)
  }
  if (listing.kind !== undefined) found = found.where('kind', '=', listing.kind)
  if (listing.enabled !== undefined) found = found.where('enabled', '=', Number(listing.enabled))
  if (listing.reach !== undefined) found = found.where('reach', '=', listing.reach)
  if (listing.failed !== undefined) {
    const failed = db.selectFrom('site_states').select('site_id').where('error', 'is not', null)
    found = found.where('id', listing.failed ? 'in' : 'not in', failed)
  }
  const { count } = await found.select((row) => row.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  const rows = await found
    .selectAll()
    .orderBy(listing.sort === 'name' ? 'name_key' : listing.sort, listing.order)
    .orderBy('id')
    .limit(listing.limit)
    .offset(listing.offset)
    .execute()
  return { rows, total: count }
}

/** Returns every site, oldest first. */
export function allSiteRows(db: Db): Promise<SiteRow[]> {
  return db.selectFrom('sites').selectAll().orderBy('id').execute()
}

/** Returns the columns that show which sites changed, of all sites, oldest first. */
export function siteHeads(db: Db): Promise<Pick<SiteRow, 'id' | 'revision' | 'enabled' | 'updated_at'>[]> {
  return db.selectFrom('sites').select(['id', 'revision', 'enabled', 'updated_at']).orderBy('id').execute()
}

/** Maximum number of parameters of one statement. */
const idsAtOnce = 1000

/** Returns the sites with these ids, in no particular order; ids without a site are ignored. */
export async function siteRowsOf(db: Db, ids: readonly number[]): Promise<SiteRow[]> {
  const rows: SiteRow[] = []
  for (let at = 0; at < ids.length; at += idsAtOnce)
    rows.push(
      ...(await db
        .selectFrom('sites')
        .selectAll()
        .where('id', 'in', ids.slice(at, at + idsAtOnce))
        .execute()),
    )
  return rows
}

/** Returns the site, or undefined when there is none with this id. */
export function findSiteRow(db: Db, id: number): Promise<SiteRow | undefined> {
  return db.selectFrom('sites').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns the enabled site on which visitors sign in; undefined without one. */
export async function findPortalSite(db: Db): Promise<number | undefined> {
  const found = db.selectFrom('sites').select('id').where('kind', '=', 'portal').where('enabled', '=', 1)
  return (await found.orderBy('id').executeTakeFirst())?.id
}

/** Returns the host names at which visitors sign in; more than one only while sites are disabled. */
export async function portalHosts(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('sites').select('domains').where('kind', '=', 'portal').execute()
  return rows.flatMap(({ domains }) => domains.split(' '))
}

/** Returns the names of the sites that show a status page. */
export async function sitesOfStatusPage(db: Db, slug: string): Promise<string[]> {
  const rows = await db.selectFrom('sites').select(['name', 'record']).where('kind', '=', 'status').execute()
  const slugOf = (record: string) => (JSON.parse(record) as { status_page?: string | null }).status_page
  return rows.filter(({ record }) => slugOf(record) === slug).map(({ name }) => name)
}

export function findSiteOfName(db: Db, name: string): Promise<SiteRow | undefined> {
  return db.selectFrom('sites').selectAll().where('name_key', '=', name.toLowerCase()).executeTakeFirst()
}

/** Returns the next site id. Ids are never reused, so that nothing old is taken for a new site. */
export async function nextSiteId(db: Db): Promise<number> {
  const { last } = await db
    .selectFrom('site_versions')
    .select((row) => row.fn.max('site_id').as('last'))
    .executeTakeFirstOrThrow()
  return (last ?? 0) + 1
}

/** Returns the number after the newest version of a site, even a deleted one. */
export async function nextRevision(db: Db, siteId: number): Promise<number> {
  const { last } = await db
    .selectFrom('site_versions')
    .select((row) => row.fn.max('revision').as('last'))
    .where('site_id', '=', siteId)
    .executeTakeFirstOrThrow()
  return (last ?? 0) + 1
}

/** Inserts or replaces a site with its domains. */
export async function putSiteRow(db: Db, row: SiteRow): Promise<void> {
  await db
    .insertInto('sites')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
  await db.deleteFrom('site_domains').where('site_id', '=', row.id).execute()
  const domains = row.domains.split(' ').map((domain) => ({ domain, site_id: row.id }))
  await db.insertInto('site_domains').values(domains).execute()
}

export async function deleteSiteRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('site_domains').where('site_id', '=', id).execute()
  await db.deleteFrom('sites').where('id', '=', id).execute()
}

export async function insertVersion(db: Db, row: SiteVersionRow): Promise<void> {
  await db.insertInto('site_versions').values(row).execute()
}

/** Returns the states of these sites at the nodes. */
export async function findStates(db: Db, siteIds: readonly number[]): Promise<SiteStateRow[]> {
  if (siteIds.length === 0) return []
  return await db.selectFrom('site_states').selectAll().where('site_id', 'in', siteIds).execute()
}

/** Deletes the refusals of a site, because it is as it was before them. */
export async function forgetRefusals(db: Db, siteId: number): Promise<void> {
  const states = db.updateTable('site_states').set({ refused_revision: null, error: null })
  await states.where('site_id', '=', siteId).execute()
  await db.deleteFrom('site_states').where('site_id', '=', siteId).where('applied_revision', 'is', null).execute()
}

/** Counts the enabled sites that no node runs as wanted, and those that a node has refused. */
export async function countStates(db: Db): Promise<{ pending: number; failed: number }> {
  const failed = await db
    .selectFrom('site_states')
    .select((row) => row.fn.count<number>('site_id').distinct().as('count'))
    .where('refused_revision', 'is not', null)
    .executeTakeFirstOrThrow()
  const running = await db
    .selectFrom('sites')
    .innerJoin('site_states', (join) =>
      join.onRef('site_states.site_id', '=', 'sites.id').onRef('site_states.applied_revision', '=', 'sites.revision'),
    )
    .select((row) => row.fn.count<number>('sites.id').distinct().as('count'))
    .where('sites.enabled', '=', 1)
    .executeTakeFirstOrThrow()
  const enabled = await db
    .selectFrom('sites')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('enabled', '=', 1)
    .executeTakeFirstOrThrow()
  return { pending: Math.max(0, enabled.count - running.count - failed.count), failed: failed.count }
}

/** Counts the enabled sites that a node does not run as wanted. */
export async function countPending(db: Db, nodeId: number): Promise<number> {
  const { count } = await db
    .selectFrom('sites')
    .leftJoin('site_states', (join) =>
      join.onRef('site_states.site_id', '=', 'sites.id').on('site_states.node_id', '=', nodeId),
    )
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('sites.enabled', '=', 1)
    .where((row) =>
      row.or([
        row('site_states.applied_revision', 'is', null),
        row('site_states.applied_revision', '!=', row.ref('sites.revision')),
      ]),
    )
    .executeTakeFirstOrThrow()
  return count
}

/** Counts sites and domains, and the enabled ones among them. */
export async function countSites(db: Db) {
  const rows = await db
    .selectFrom('sites')
    .leftJoin('site_domains', 'site_domains.site_id', 'sites.id')
    .select((row) => [
      'sites.enabled',
      row.fn.count<number>('sites.id').distinct().as('sites'),
      row.fn.count<number>('site_domains.domain').as('domains'),
    ])
    .groupBy('sites.enabled')
    .execute()
  const sum = (name: 'sites' | 'domains', enabled?: number) =>
    rows.filter((row) => enabled === undefined || row.enabled === enabled).reduce((total, row) => total + row[name], 0)
  return {
    sites: sum('sites'),
    enabledSites: sum('sites', 1),
    domains: sum('domains'),
    enabledDomains: sum('domains', 1),
  }
}

/** Names the sites a node does not serve as they are wanted, and those it serves though they are not; empty for none. */
export async function namePending(db: Db, nodeId: number): Promise<string> {
  const rows = await db
    .selectFrom('sites')
    .leftJoin('site_states', (join) =>
      join.onRef('site_states.site_id', '=', 'sites.id').on('site_states.node_id', '=', nodeId),
    )
    .select([
      'sites.id',
      'sites.revision',
      'sites.enabled',
      'site_states.applied_revision',
      'site_states.refused_revision',
    ])
    .where((row) =>
      row.or([
        row.and([row('sites.enabled', '=', 0), row('site_states.applied_revision', 'is not', null)]),
        row.and([
          row('sites.enabled', '=', 1),
          row.or([
            row('site_states.applied_revision', 'is', null),
            row('site_states.applied_revision', '!=', row.ref('sites.revision')),
          ]),
        ]),
      ]),
    )
    .orderBy('sites.id')
    .limit(1000)
    .execute()
  const open = rows.filter((row) => row.enabled !== 1 || row.refused_revision !== row.revision)
  const names = open.map((row) => `${row.id}:${row.enabled === 1 ? row.revision : 'off'}`)
  return [...names, ...(await servedThoughGone(db, nodeId)).map((id) => `${id}:gone`)].join(' ')
}

/** Sites that a node serves and that were deleted, by the command line. */
async function servedThoughGone(db: Db, nodeId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('site_states')
    .select('site_id')
    .where('node_id', '=', nodeId)
    .where('applied_revision', 'is not', null)
    .where((row) =>
      row.not(row.exists(row.selectFrom('sites').select('id').whereRef('sites.id', '=', 'site_states.site_id'))),
    )
    .orderBy('site_id')
    .limit(1000)
    .execute()
  return rows.map(({ site_id: id }) => id)
}
