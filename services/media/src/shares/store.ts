import type { Kysely, Transaction } from 'kysely'
import type { JobRow, ShareLinkRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Time for which a client may resume a download as the same use, milliseconds. */
export const useLength = 3_600_000

export async function insertLink(db: Db, row: ShareLinkRow): Promise<void> {
  await db.insertInto('share_links').values(row).execute()
}

/** The links of a job, newest first. */
export async function linksOf(db: Db, jobId: string): Promise<ShareLinkRow[]> {
  return db
    .selectFrom('share_links')
    .selectAll()
    .where('job_id', '=', jobId)
    .orderBy('created_at', 'desc')
    .orderBy('token_hash')
    .execute()
}

/** A link with its job, and since when this client uses it. */
export async function findLink(
  db: Db,
  { tokenHash, clientHash }: { readonly tokenHash: string; readonly clientHash: string },
): Promise<{ link: ShareLinkRow; job: JobRow; usedAt: number | null } | undefined> {
  const row = await db
    .selectFrom('share_links')
    .innerJoin('jobs', 'jobs.id', 'share_links.job_id')
    .leftJoin('share_uses', (join) =>
      join.onRef('share_uses.token_hash', '=', 'share_links.token_hash').on('share_uses.client_hash', '=', clientHash),
    )
    .selectAll('jobs')
    .select([
      'share_links.token_hash as link_token_hash',
      'share_links.token_sealed as link_token_sealed',
      'share_links.max_uses as link_max_uses',
      'share_links.uses as link_uses',
      'share_links.created_at as link_created_at',
      'share_links.expires_at as link_expires_at',
      'share_uses.used_at as link_used_at',
    ])
    .where('share_links.token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const {
    link_token_hash: token_hash,
    link_token_sealed: token_sealed,
    link_max_uses: max_uses,
    link_uses: uses,
    link_created_at: created_at,
    link_expires_at: expires_at,
    link_used_at: usedAt,
    ...job
  } = row
  return { link: { token_hash, token_sealed, job_id: job.id, max_uses, uses, created_at, expires_at }, job, usedAt }
}

class NoUseLeft extends Error {}

/**
 * Takes a use of a link for a client, unless it has one since less than an hour; both come in one step, so that of many that
 * come together no more get in than may. False when the link is used up, has expired or is gone.
 */
export async function takeUse(
  db: Db,
  use: { readonly tokenHash: string; readonly clientHash: string; readonly now: number },
): Promise<boolean> {
  try {
    await db.transaction().execute((trx) => countUse(trx, use))
    return true
  } catch (error) {
    if (error instanceof NoUseLeft) return false
    throw error
  }
}

async function countUse(
  trx: Transaction<Tables>,
  { tokenHash, clientHash, now }: { readonly tokenHash: string; readonly clientHash: string; readonly now: number },
): Promise<void> {
  const link = await trx
    .updateTable('share_links')
    .set((row) => ({ uses: row('uses', '+', 1) }))
    .where('token_hash', '=', tokenHash)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .returning(['uses', 'max_uses'])
    .executeTakeFirst()
  if (link === undefined) throw new NoUseLeft()
  // The row of the link is locked from here: a second request of the same client waits and finds the use of the first.
  const fresh = await trx
    .insertInto('share_uses')
    .values({ token_hash: tokenHash, client_hash: clientHash, used_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['token_hash', 'client_hash'])
        .doUpdateSet({ used_at: now })
        .where('share_uses.used_at', '<=', now - useLength),
    )
    .returning('used_at')
    .executeTakeFirst()
  if (fresh === undefined) {
    await trx
      .updateTable('share_links')
      .set((row) => ({ uses: row('uses', '-', 1) }))
      .where('token_hash', '=', tokenHash)
      .execute()
  } else if (link.max_uses > 0 && link.uses > link.max_uses) throw new NoUseLeft()
}

/** Returns how many there were. */
export async function deleteLinksOf(db: Db, jobId: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('share_links').where('job_id', '=', jobId).executeTakeFirst()
  return Number(numDeletedRows)
}

export async function countLinks(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('share_links')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Deletes links that have expired, and those that are used up and that no client still uses; and old uses. */
export async function deleteSpent(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('share_uses')
    .where('used_at', '<=', now - useLength)
    .execute()
  await db.deleteFrom('share_links').where('expires_at', '<=', now).execute()
  await db
    .deleteFrom('share_links')
    .where('max_uses', '>', 0)
    .whereRef('uses', '>=', 'max_uses')
    .where('token_hash', 'not in', (query) => query.selectFrom('share_uses').select('token_hash'))
    .execute()
}
