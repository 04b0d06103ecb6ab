import type { Kysely } from 'kysely'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Tables } from '../tables.ts'
import type { MediaBus } from '../events.ts'
import type { Timers } from '@hearth/runtime'
import type { WorkFolders } from './work-folders.ts'
import { advanceJob, deleteJobRows, findJobs, jobIds } from './store.ts'
import type { Removal, SomeRemoved } from './schema.ts'

/** Deletes jobs with their files and links. */
export interface RemoveJobs {
  all(): Promise<Removal>
  /** Ids of no job are left out. */
  some(ids: readonly string[]): Promise<SomeRemoved>
}

export interface RemovalDependencies {
  readonly db: Kysely<Tables>
  readonly bus: MediaBus
  readonly artifacts: ArtifactStore
  readonly timers: Timers
  readonly folders: WorkFolders
  /** Takes jobs out of what refers to them, before they are deleted. */
  readonly takeOut: (trx: Kysely<Tables>, ids: readonly string[]) => Promise<void>
  /** Counts all share links. */
  readonly countLinks: () => Promise<number>
}

/** Creates the removal of jobs. */
export function createRemoveJobs(dependencies: RemovalDependencies): RemoveJobs {
  const { db, bus, artifacts, timers, folders, takeOut, countLinks } = dependencies

  /** Cancels first, deletes the files next and the rows last, so that no file is left without a row. */
  async function remove(ids: readonly string[], publish: () => void): Promise<SomeRemoved> {
    const values = { message: 'Cancelled', finished_at: timers.now(), lease_until: null }
    for (const id of ids) await advanceJob(db, { id, step: 'cancelled', values })
    publish()
    let withFiles = 0
    for (const id of ids) {
      if ((await artifacts.list(id)).length > 0) withFiles += 1
      await artifacts.removeJob(id)
    }
    await deleteJobRows(db, ids, takeOut)
    const gone = new Set(ids)
    await folders.sweep((present) => Promise.resolve(new Set(present.filter((id) => !gone.has(id)))))
    const message = ids.length === 1 ? '1 job was deleted' : `${ids.length} jobs were deleted`
    return { ok: true, message, jobs_deleted: ids.length, files_deleted: withFiles }
  }
  return {
    async all() {
      const share_links_deleted = await countLinks()
      const removed = await remove(await jobIds(db), () => bus.publish({ type: 'jobs_cleared', job_id: null }))
      return { ...removed, share_links_deleted }
    },
    async some(wanted) {
      const ids = (await findJobs(db, wanted)).map(({ id }) => id)
      const publish = () => {
        for (const job_id of ids) bus.publish({ type: 'job_removed', job_id })
      }
      // Workers stop at the first message; at the second, pages read what is left.
      const removed = await remove(ids, publish)
      publish()
      return removed
    },
  }
}
