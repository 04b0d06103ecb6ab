import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ArtifactKind } from './artifact-kind.ts'
import type { StorageTotalRow } from './tables.ts'

type Db = Kysely<Tables>

/** Adds to the totals of a kind. */
export async function addToTotals(
  trx: Db,
  kind: ArtifactKind,
  { bytes, files }: { bytes: number; files: number },
): Promise<void> {
  await trx
    .insertInto('storage_totals')
    .values({ kind, bytes, files })
    .onConflict((conflict) =>
      conflict.column('kind').doUpdateSet((row) => ({
        bytes: row('storage_totals.bytes', '+', bytes),
        files: row('storage_totals.files', '+', files),
      })),
    )
    .execute()
}

/** Bytes and numbers of the stored files by kind. */
export async function readTotals(db: Db): Promise<StorageTotalRow[]> {
  return db.selectFrom('storage_totals').selectAll().execute()
}
