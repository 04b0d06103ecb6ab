import type { Kysely } from 'kysely'
import type { AnyQuery } from '../any-query.ts'
import type { ChallengeRow, PasskeyRow, PasskeyTables } from './tables.ts'

type Db = Kysely<PasskeyTables>

const passkeysIn = (query: AnyQuery): Db => query as Db

export function listPasskeyRows(db: Db, userId: string): Promise<PasskeyRow[]> {
  return db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function findPasskeyRow(db: Db, userId: string, id: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).where('id', '=', id).executeTakeFirst()
}

export function findPasskeyRowByCredential(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
}

export async function insertPasskeyRow(db: Db, row: PasskeyRow): Promise<void> {
  await db.insertInto('passkeys').values(row).execute()
}

export async function renamePasskeyRow(db: Db, id: string, deviceName: string): Promise<void> {
  await db.updateTable('passkeys').set({ device_name: deviceName }).where('id', '=', id).execute()
}

export async function deletePasskeyRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('passkeys').where('id', '=', id).execute()
}

/**
 * Records a use. False when the authenticator's counter did not rise, unless it does not count at all: then there are two with
 * the same key. Comparing and writing are one step.
 */
export async function usePasskeyRow(
  db: Db,
  id: string,
  use: { counter: number; at: number; backedUp: boolean },
): Promise<boolean> {
  const result = await db
    .updateTable('passkeys')
    .set({ counter: use.counter, last_used_at: use.at, backed_up: Number(use.backedUp) })
    .where('id', '=', id)
    .where('counter', use.counter === 0 ? '=' : '<', use.counter)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Counts the passkeys of other relying parties, by their name. */
export function countForeignPasskeys(query: AnyQuery, rpId: string): Promise<{ rp_id: string; count: number }[]> {
  return passkeysIn(query)
    .selectFrom('passkeys')
    .select(['rp_id', (row) => row.fn.countAll<number>().as('count')])
    .where('rp_id', '!=', rpId)
    .groupBy('rp_id')
    .orderBy('rp_id')
    .execute()
}

/** Counts the passkeys of a user that belong to this relying party. */
export async function countUsablePasskeys(query: AnyQuery, userId: string, rpId: string): Promise<number> {
  const { count } = await passkeysIn(query)
    .selectFrom('passkeys')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('rp_id', '=', rpId)
    .executeTakeFirstOrThrow()
  return count
}

/** Counts the passkeys of each of these users; those without one are left out. */
export async function countPasskeysOf(query: AnyQuery, userIds: readonly string[]): Promise<Map<string, number>> {
  if (userIds.length === 0) return new Map()
  const rows = await passkeysIn(query)
    .selectFrom('passkeys')
    .select(['user_id', (row) => row.fn.countAll<number>().as('count')])
    .where('user_id', 'in', userIds)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, count }) => [user_id, count]))
}

/** Deletes the passkeys of a user; within a transaction that changes the user. */
export async function deletePasskeysOf(trx: AnyQuery, userId: string): Promise<void> {
  await passkeysIn(trx).deleteFrom('passkeys').where('user_id', '=', userId).execute()
}

/** Columns that identify a challenge and its owner. */
export type ChallengeKey = Pick<ChallengeRow, 'challenge' | 'ceremony' | 'session_hash'>

export async function insertChallengeRow(db: Db, row: ChallengeRow): Promise<void> {
  await db.insertInto('challenges').values(row).execute()
}

/** Deletes a challenge and returns it: of two concurrent calls only one gets it. */
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

/** Deletes all but the newest challenges of a session. */
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
