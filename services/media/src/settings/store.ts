import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

export async function deleteSettingRows(db: Db, names: readonly string[]): Promise<void> {
  await db.deleteFrom('settings').where('name', 'in', names).execute()
}

/** Replaces a value if it still is `from`, or adds it if `from` is undefined and there is none; false otherwise. */
export async function exchangeSettingRow(
  db: Db,
  name: string,
  { from, to }: { readonly from: string | undefined; readonly to: string },
): Promise<boolean> {
  if (from === undefined) {
    const added = db.insertInto('settings').values({ name, value: to })
    const { numInsertedOrUpdatedRows = 0n } = await added
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows > 0n
  }
  const written = db.updateTable('settings').set({ value: to }).where('name', '=', name).where('value', '=', from)
  const { numUpdatedRows } = await written.executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The content of a stored file; undefined when there is none of that name. */
export async function readFile(db: Db, name: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('files').select('content').where('name', '=', name).executeTakeFirst()
  return row === undefined ? undefined : Buffer.from(row.content, 'base64')
}

/** SHA-256 of a stored file, hex: whether it is still the same costs no reading of it. */
export async function readFileDigest(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('files').select('digest').where('name', '=', name).executeTakeFirst()
  return row?.digest
}

/** Adds or replaces a file. */
export async function writeFileRow(db: Db, file: { name: string; digest: string; bytes: Uint8Array }): Promise<void> {
  const { name, digest, bytes } = file
  await db
    .insertInto('files')
    .values({ name, digest, content: Buffer.from(bytes).toString('base64') })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((row) => ({ digest: row.ref('excluded.digest'), content: row.ref('excluded.content') })),
    )
    .execute()
}

/** Deletes a file; false when it does not exist. */
export async function deleteFile(db: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('files').where('name', '=', name).executeTakeFirst()
  return numDeletedRows > 0n
}
