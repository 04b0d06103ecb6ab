import type { Kysely } from 'kysely'
import type { CertificateTables, UploadedCertificateRow } from '../tables.ts'

/** Values to store; `insert` and `replace` add the id and the times. */
export type UploadValues = Pick<UploadedCertificateRow, 'name' | 'kind' | 'chain'>

/** Lists the uploads that were not deleted, by name. */
export function listUploads(db: Kysely<CertificateTables>): Promise<UploadedCertificateRow[]> {
  return db
    .selectFrom('uploaded_certificates')
    .selectAll()
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

export function findUpload(db: Kysely<CertificateTables>, id: number): Promise<UploadedCertificateRow | undefined> {
  return db
    .selectFrom('uploaded_certificates')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function countUploads(db: Kysely<CertificateTables>): Promise<number> {
  const { count } = await db
    .selectFrom('uploaded_certificates')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Adds a row under an id that was never used; `sealKey` is called with it, for the key is sealed to its row. */
export function insertUpload(
  db: Kysely<CertificateTables>,
  values: UploadValues & { now: number },
  sealKey: (id: number) => string,
): Promise<UploadedCertificateRow> {
  const { now, ...upload } = values
  return db.transaction().execute(async (trx) => {
    const { last } = await trx
      .selectFrom('uploaded_certificates')
      .select((eb) => eb.fn.max('id').as('last'))
      .executeTakeFirstOrThrow()
    const id = (last ?? 0) + 1
    const row = { id, ...upload, key_sealed: sealKey(id), created_at: now, changed_at: now, deleted_at: null }
    await trx.insertInto('uploaded_certificates').values(row).execute()
    return row
  })
}

/** Puts another chain and key in place; false when the row is gone. */
export async function replaceUpload(
  db: Kysely<CertificateTables>,
  { id, ...values }: Pick<UploadedCertificateRow, 'id' | 'chain' | 'key_sealed' | 'changed_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('uploaded_certificates')
    .set(values)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Forgets what a row held. */
export async function clearUpload(db: Kysely<CertificateTables>, id: number, now: number): Promise<void> {
  await db
    .updateTable('uploaded_certificates')
    .set({ chain: '', key_sealed: '', deleted_at: now })
    .where('id', '=', id)
    .execute()
}
