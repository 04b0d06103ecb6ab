import type { Kysely } from 'kysely'
import type { ChallengeRow, PasskeyTables } from './tables.ts'

type Db = Kysely<PasskeyTables>

/** Columns that identify a challenge for the one who may use it. */
export type ChallengeKey = Pick<ChallengeRow, 'challenge' | 'ceremony' | 'session_hash'>

export async function insertChallengeRow(db: Db, row: ChallengeRow): Promise<void> {
  await db.insertInto('challenges').values(row).execute()
}

/** Deletes a challenge and returns it: of two who try, one gets it. */
export function takeChallengeRow(db: Db, key: ChallengeKey): Promise<ChallengeRow | undefined> {
  return db
    .deleteFrom('challenges')
    .where('challenge', '=', key.challenge)
    .where('ceremony', '=', key.ceremony)
    .where('session_hash', '=', key.session_hash)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteExpiredChallenges(db: Db, now: number): Promise<void> {
  await db.deleteFrom('challenges').where('expires_at', '<=', now).execute()
}

/** Leaves the newest challenges of a session. */
export async function keepNewestChallenges(db: Db, sessionHash: string, count: number): Promise<void> {
  const rows = await db
    .selectFrom('challenges')
    .select('challenge')
    .where('session_hash', '=', sessionHash)
    .orderBy('expires_at', 'desc')
    .offset(count)
    .limit(100)
    .execute()
  if (rows.length === 0) return
  const old = rows.map(({ challenge }) => challenge)
  await db.deleteFrom('challenges').where('challenge', 'in', old).execute()
}

export async function countChallenges(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('challenges')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
