import type { Database } from '@hearth/database'
import type { ArtifactLedger } from '../artifacts/ledger.ts'
import { changeLedger } from '../artifacts/ledger-store.ts'
import type { StoragePresence } from '../artifacts/presence.ts'
import { conflict } from '../problems.ts'
import type { Tables } from '../tables.ts'
import * as store from './store.ts'

/**
 * Takes a storage as it is, though none of the recorded files is in it: what is missing takes no space from then on, and counts
 * again should it come back. Throws a problem when nothing is missing.
 */
export async function acceptStorage({
  database,
  artifacts,
  presence,
}: {
  readonly database: Database<Tables>
  readonly artifacts: ArtifactLedger
  readonly presence: StoragePresence
}): Promise<void> {
  const db = database.query
  if (!(await presence.look())) throw conflict('The stored files are there', 'not_missing')
  for await (const folders of store.recordedFolders(db))
    for (const row of await store.filesIn(db, folders))
      if (row.is_stored === 1 && (await artifacts.storage.stat(row.folder_id, row.name)) === undefined)
        await store.correctFile(db, row, 0)
  await changeLedger(database, (trx) => store.recountTotals(trx))
  await presence.look()
}
