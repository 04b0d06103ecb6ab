import type { Kysely } from 'kysely'
import type { PasskeyRow, Tables } from '../database/tables.ts'

type Db = Kysely<Tables>

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
 * Notes a use. False when the authenticator's counter did not rise, unless it does not count at all: then there are two with
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

/** How many passkeys were made for another relying party than this one, by that one's name. */
export function countForeignPasskeys(db: Db, rpId: string): Promise<{ rp_id: string; count: number }[]> {
  return db
    .selectFrom('passkeys')
    .select(['rp_id', (row) => row.fn.countAll<number>().as('count')])
    .where('rp_id', '!=', rpId)
    .groupBy('rp_id')
    .orderBy('rp_id')
    .execute()
}
