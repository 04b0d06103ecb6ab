import type { Kysely } from 'kysely'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Tables } from '../tables.ts'
import type { MediaBus } from '../events.ts'
import type { Timers } from '@hearth/runtime'
import type { WorkFolders } from './work-folders.ts'
import { advanceJob, deleteJobRows, jobIds } from './store.ts'
import type { Removal } from './schema.ts'

/** Deletes every job with its files and links. */
export type RemoveAll = ReturnType<typeof createRemoveAll>

export interface RemovalDependencies {
  readonly db: Kysely<Tables>
  readonly bus: MediaBus
  readonly artifacts: ArtifactStore
  readonly timers: Timers
  readonly folders: WorkFolders
  /** Counts the share links to these jobs. */
  readonly countLinks: () => Promise<number>
}

/** Creates the removal of all jobs. */
export function createRemoveAll({ db, bus, artifacts, timers, folders, countLinks }: RemovalDependencies) {
  return async (): Promise<Removal> => {
    const ids = await jobIds(db)
    const links = await countLinks()
    // Cancels first, deletes the files next and the rows last, so that no file is left without a row.
    const values = { message: 'Cancelled', finished_at: timers.now(), lease_until: null }
    for (const id of ids) await advanceJob(db, { id, step: 'cancelled', values })
    bus.publish({ type: 'jobs_cleared', job_id: null })
    let withFiles = 0
    for (const id of ids) {
      if ((await artifacts.list(id)).length > 0) withFiles += 1
      await artifacts.removeJob(id)
    }
    await deleteJobRows(db, ids)
    const gone = new Set(ids)
    await folders.sweep((id) => !gone.has(id))
    const message = ids.length === 1 ? '1 job was deleted' : `${ids.length} jobs were deleted`
    return { ok: true, message, jobs_deleted: ids.length, files_deleted: withFiles, share_links_deleted: links }
  }
}
