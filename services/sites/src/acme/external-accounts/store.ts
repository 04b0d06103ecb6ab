import type { Kysely } from 'kysely'
import type { AcmeTables, ExternalAccountRow } from '../tables.ts'

type Db = Kysely<AcmeTables>

export function listExternalAccounts(db: Db): Promise<ExternalAccountRow[]> {
  return db.selectFrom('external_accounts').selectAll().orderBy('directory').execute()
}

/** False when there is one for the directory. */
export async function insertExternalAccount(db: Db, row: ExternalAccountRow): Promise<boolean> {
  const insert = db.insertInto('external_accounts').values(row)
  const done = await insert.onConflict((conflict) => conflict.column('directory').doNothing()).executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function changeExternalAccount(
  db: Db,
  id: string,
  values: Pick<ExternalAccountRow, 'key_id' | 'key_sealed' | 'changed_at'>,
): Promise<void> {
  await db.updateTable('external_accounts').set(values).where('id', '=', id).execute()
}

export async function deleteExternalAccount(db: Db, id: string): Promise<void> {
  await db.deleteFrom('external_accounts').where('id', '=', id).execute()
}
