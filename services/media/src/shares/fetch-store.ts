import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Time for which a client may fetch again as the same use, milliseconds. */
export const useLength = 3_600_000

/** Newest fetches of a link that are kept. */
export const maxFetches = 1000

/** A client of a link. */
export interface LinkClient {
  readonly tokenHash: string
  readonly clientHash: string
}

/** A file that a client wants by a link, now. */
export interface WantedFile extends LinkClient {
  readonly jobId: string
  /** Shortened address. */
  readonly network: string
  readonly now: number
}

/** Since when this client uses the link; null when it never did, or long ago. */
export async function findUse(db: Db, { tokenHash, clientHash }: LinkClient): Promise<number | null> {
  const row = await db
    .selectFrom('share_uses')
    .select('used_at')
    .where('token_hash', '=', tokenHash)
    .where('client_hash', '=', clientHash)
    .executeTakeFirst()
  return row?.used_at ?? null
}

/** Resolves to true if the client began to fetch this file within the length of a use. */
export async function hasFetched(db: Db, { tokenHash, clientHash, jobId, now }: WantedFile): Promise<boolean> {
  const row = await db
    .selectFrom('share_fetches')
    .select('id')
    .where('token_hash', '=', tokenHash)
    .where('fetched_at', '>', now - useLength)
    .where('client_hash', '=', clientHash)
    .where('job_id', '=', jobId)
    .executeTakeFirst()
  return row !== undefined
}

class NoUseLeft extends Error {}

/**
 * Takes a use of a link for a client, unless it has one since less than an hour, and notes that it fetches a file. All of it
 * comes in one step, so that of many that come together no more get in than may, and each is noted once. False when the link is
 * used up, has expired or is gone.
 */
export async function takeUse(db: Db, wanted: WantedFile): Promise<boolean> {
  try {
    await db.transaction().execute(async (trx) => {
      await countUse(trx, wanted)
      if (!(await hasFetched(trx, wanted))) await noteFetch(trx, wanted)
    })
    return true
  } catch (error) {
    if (error instanceof NoUseLeft) return false
    throw error
  }
}

async function countUse(trx: Transaction<Tables>, { tokenHash, clientHash, now }: WantedFile): Promise<void> {
  const link = await trx
    .updateTable('share_links')
    .set((row) => ({ uses: row('uses', '+', 1), last_fetched_at: now }))
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

async function noteFetch(trx: Transaction<Tables>, wanted: WantedFile): Promise<void> {
  const { tokenHash: token_hash, clientHash: client_hash, jobId: job_id, network, now: fetched_at } = wanted
  await trx
    .insertInto('share_fetches')
    .values({ id: randomUUID(), token_hash, client_hash, job_id, network, fetched_at })
    .execute()
  const tooMany = trx
    .selectFrom('share_fetches')
    .select('id')
    .where('token_hash', '=', token_hash)
    .orderBy('fetched_at', 'desc')
    .orderBy('id')
    .limit(100)
    .offset(maxFetches)
  await trx.deleteFrom('share_fetches').where('id', 'in', tooMany).execute()
}

/** A fetch with the title of its file. */
export interface ListedFetch {
  readonly id: string
  readonly fetched_at: number
  readonly network: string
  readonly job_id: string
  readonly video_title: string | null
}

/** The fetches by a link, newest first. */
export async function listFetches(db: Db, tokenHash: string): Promise<ListedFetch[]> {
  return db
    .selectFrom('share_fetches')
    .innerJoin('jobs', 'jobs.id', 'share_fetches.job_id')
    .select([
      'share_fetches.id',
      'share_fetches.fetched_at',
      'share_fetches.network',
      'share_fetches.job_id',
      'jobs.video_title',
    ])
    .where('share_fetches.token_hash', '=', tokenHash)
    .orderBy('share_fetches.fetched_at', 'desc')
    .orderBy('share_fetches.id')
    .limit(maxFetches)
    .execute()
}

/** Deletes uses that are over and fetches before a timestamp, and what told the clients of older fetches apart. */
export async function deleteOldFetches(
  db: Db,
  { now, keptSince }: { readonly now: number; readonly keptSince: number },
): Promise<void> {
  const over = now - useLength
  await db.deleteFrom('share_uses').where('used_at', '<=', over).execute()
  await db.deleteFrom('share_fetches').where('fetched_at', '<=', keptSince).execute()
  await db
    .updateTable('share_fetches')
    .set({ client_hash: null })
    .where('client_hash', 'is not', null)
    .where('fetched_at', '<=', over)
    .execute()
}
