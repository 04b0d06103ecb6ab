import type { JobRow } from '../tables.ts'
import { jobEvent } from './job-events.ts'
import { advanceJob } from './store.ts'
import type { WorkerDependencies } from './workers.ts'

type ReturnDependencies = Pick<WorkerDependencies, 'db' | 'queue' | 'bus' | 'timers' | 'discard'>

/**
 * Puts a job back into the queue, at its old place, under a new attempt number that the old worker does not have. Does nothing
 * when the job has ended or another attempt has it.
 */
export async function requeueJob(dependencies: ReturnDependencies, job: JobRow, interruptions: number): Promise<void> {
  const { db, queue } = dependencies
  const attempt = job.attempt + 1
  const row = await db.transaction().execute(async (trx) => {
    const values = { attempt, interruptions, lease_until: null, message: 'Interrupted, waiting to go on' }
    const queued = await advanceJob(trx, { id: job.id, attempt: job.attempt, step: 'handed-back', values })
    if (queued !== undefined) await queue.enqueue(trx, { id: job.id, attempt })
    return queued
  })
  if (row !== undefined) publish(dependencies, job, row)
}

/** Ends a job that lost its workers too often. A job that is only being analysed is finished: its file is good. */
export async function giveUpJob(dependencies: ReturnDependencies, job: JobRow): Promise<void> {
  const { db, timers } = dependencies
  const shared = { lease_until: null, finished_at: job.finished_at ?? timers.now() }
  const isDone = job.status === 'analysis'
  const values = isDone
    ? { ...shared, message: 'Finished; the tempo could not be found out' }
    : { ...shared, message: 'The application was restarted', error_code: 'interrupted' }
  const step = isDone ? 'finished' : 'lost'
  const row = await advanceJob(db, { id: job.id, attempt: job.attempt, step, values })
  if (row === undefined) return
  if (!isDone) await dependencies.discard(job.id)
  publish(dependencies, job, row)
}

function publish({ bus, timers }: ReturnDependencies, before: JobRow, after: JobRow): void {
  bus.publish(jobEvent(before, after, timers.now()))
}
