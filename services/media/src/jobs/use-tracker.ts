import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { JobRow, Tables } from '../tables.ts'
import { isUseStale, touchJob } from './store.ts'

/** Notes that somebody uses the file of a job: fetches, plays or is given it by a link. */
export type NoteUse = (job: Pick<JobRow, 'id' | 'last_used_at'>) => void

/** Creates the notes of uses. They are written at most once an hour for a job, and nobody waits for them. */
export function createUseTracker({ db, clock, log }: { db: Kysely<Tables>; clock: Clock; log: Log }): NoteUse {
  const underWay = new Set<string>()
  return (job) => {
    const now = clock.now()
    if (!isUseStale(job, now) || underWay.has(job.id)) return
    underWay.add(job.id)
    touchJob(db, job.id, now)
      .catch((error: unknown) => log.warn({ err: error, job: job.id }, 'a use was not written'))
      .finally(() => underWay.delete(job.id))
  }
}
