import type { Kysely } from 'kysely'
import type { AdministratorRow, Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Returns the administrator of this name; undefined for any other. */
export async function findAdministrator(db: Db, username: string): Promise<AdministratorRow | undefined> {
  return db.selectFrom('administrators').selectAll().where('username', '=', username).executeTakeFirst()
}

/** Adds the administrator; false when the name is taken. */
export async function insertAdministratorIfNew(db: Db, row: AdministratorRow): Promise<boolean> {
  const result = await db
    .insertInto('administrators')
    .values(row)
    .onConflict((conflict) => conflict.column('username').doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function updateAdministrator(
  db: Db,
  username: string,
  values: Partial<Omit<AdministratorRow, 'username'>>,
): Promise<void> {
  await db.updateTable('administrators').set(values).where('username', '=', username).execute()
}
