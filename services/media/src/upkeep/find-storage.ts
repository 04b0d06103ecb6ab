import type { Kysely } from 'kysely'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Tables } from '../tables.ts'
import { filesIn, someFiles } from './store.ts'

/** Recorded files that are looked for, of the newest and of the oldest. */
const looked = 20

/**
 * Finds out whether the storage is the one that the record is of: false when files are recorded and not one of them is there, as
 * with a disk that is not mounted. Mostly one look is enough; when the first ones are missing, all that is stored is read.
 */
export async function isStorageThere(db: Kysely<Tables>, storage: ArtifactStore): Promise<boolean> {
  const files = await someFiles(db, looked)
  if (files.length === 0) return true
  for (const { folder_id, name } of files) if ((await storage.stat(folder_id, name)) !== undefined) return true
  try {
    for await (const { jobId, files: present } of storage.jobs()) {
      const known = new Set((await filesIn(db, [jobId])).map(({ name }) => name))
      if (present.some(({ name }) => known.has(name))) return true
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return false
}
