import { UserStore, type AnyQuery } from '@hearth/accounts'
import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../database/tables.ts'

type Db = Kysely<Tables>

/** The users of a database, or as a transaction sees them. */
export const usersIn = (query: AnyQuery) => new UserStore<UserRow>(query)

/** How many passkeys of this relying party the user has. */
export async function countUsablePasskeys(db: Db, userId: string, rpId: string): Promise<number> {
  const { count } = await db
    .selectFrom('passkeys')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('rp_id', '=', rpId)
    .executeTakeFirstOrThrow()
  return count
}

/** How many passkeys each of these users has; those without one are left out. */
export async function countPasskeysOf(db: Db, userIds: readonly string[]): Promise<Map<string, number>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('passkeys')
    .select(['user_id', (row) => row.fn.countAll<number>().as('count')])
    .where('user_id', 'in', userIds)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, count }) => [user_id, count]))
}

export async function deletePasskeysOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('passkeys').where('user_id', '=', userId).execute()
}
