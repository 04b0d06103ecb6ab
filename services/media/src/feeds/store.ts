import type { Kysely } from 'kysely'
import { downloadableStatuses } from '../jobs/job-machine.ts'
import type { FeedRow, JobRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Oldest first. */
export async function listFeeds(db: Db): Promise<FeedRow[]> {
  return db.selectFrom('feeds').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function insertFeed(db: Db, row: FeedRow): Promise<void> {
  await db.insertInto('feeds').values(row).execute()
}

/** Returns the feed that was deleted. */
export async function deleteFeed(db: Db, id: string): Promise<FeedRow | undefined> {
  return db.deleteFrom('feeds').where('id', '=', id).returningAll().executeTakeFirst()
}

/** Returns the feed of a token. */
export async function findFeed(db: Db, tokenHash: string): Promise<FeedRow | undefined> {
  return db.selectFrom('feeds').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst()
}

/** The sounds that can be fetched, newest first. */
export async function listSounds(db: Db, limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('type', '=', 'audio')
    .where('status', 'in', downloadableStatuses)
    .where('artifact', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
