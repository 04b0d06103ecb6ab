import type { Kysely } from 'kysely'
import type { AnyQuery } from '../any-query.ts'

/** The table of attempts. */
export interface AttemptTables {
  attempts: AttemptRow
}

/** One counted attempt. */
export interface AttemptRow {
  id: string
  /** SHA-256 of the key: a route and an address, or an account. */
  key: string
  at: number
}

type Db = Kysely<AttemptTables>

export const attemptsIn = (query: AnyQuery): Db => query as Db

/** Times at which the key was counted since then, oldest first. */
export async function readAttemptTimes(db: Db, key: string, since: number): Promise<number[]> {
  const rows = await db
    .selectFrom('attempts')
    .select('at')
    .where('key', '=', key)
    .where('at', '>', since)
    .orderBy('at')
    .execute()
  return rows.map(({ at }) => at)
}

export function latestAttempt(db: Db, key: string): Promise<AttemptRow | undefined> {
  return db.selectFrom('attempts').selectAll().where('key', '=', key).orderBy('at', 'desc').limit(1).executeTakeFirst()
}

export async function insertAttemptRow(db: Db, row: AttemptRow): Promise<void> {
  await db.insertInto('attempts').values(row).execute()
}

export async function deleteAttemptRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('attempts').where('id', '=', id).execute()
}

export async function deleteAttemptRowsOf(db: Db, keys: readonly string[]): Promise<void> {
  await db.deleteFrom('attempts').where('key', 'in', keys).execute()
}

/** Deletes rows older than any window, and rows in the future after a clock was set back. */
export async function deleteAttemptRowsBefore(db: Db, { oldest, newest }: { oldest: number; newest: number }) {
  await db
    .deleteFrom('attempts')
    .where((row) => row.or([row('at', '<=', oldest), row('at', '>', newest)]))
    .execute()
}

export async function countAttemptRows(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('attempts')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
