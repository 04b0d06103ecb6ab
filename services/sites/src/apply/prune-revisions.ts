import { sql } from 'kysely'
import { sitesAtRevision, type Db } from './store.ts'

/** Revisions that are kept; what was before the oldest of them cannot be returned to. */
export const keptRevisions = 1000
/** They are looked through only now and then. */
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
