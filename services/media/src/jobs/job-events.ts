import { isDeepStrictEqual } from 'node:util'
import type { JobRow } from '../tables.ts'
import { jobEventMembers, type MediaBus, type MediaEvent } from '../events.ts'
import { jobOfRow } from './job-view.ts'

/** The event of a job that changed from one state of its row to another. */
export function jobEvent(before: JobRow | undefined, after: JobRow, now: number): MediaEvent {
  const [old, job] = [before === undefined ? undefined : jobOfRow(before), jobOfRow(after)]
  const changes = Object.fromEntries(
    jobEventMembers.filter((name) => !isDeepStrictEqual(old?.[name], job[name])).map((name) => [name, job[name]]),
  )
  return { id: job.id, status: job.status, message: job.message, timestamp: new Date(now).toISOString(), ...changes }
}

/** Returns true for an event after which a job is not wanted any more: it was cancelled or removed, or all jobs were. */
export function endsJob(event: MediaEvent, id: string): boolean {
  if ('id' in event) return event.id === id && event.status === 'cancelled'
  return event.type === 'jobs_cleared' || (event.type === 'job_removed' && event.job_id === id)
}

/** Publishes the progress of a job, at most twice a second and only when it changed. */
export function createProgressReporter(bus: MediaBus, monotonic: () => number) {
  let last = { percent: -1, at: Number.NEGATIVE_INFINITY }
  return (job: JobRow, percent: number, etaSeconds: number | null): void => {
    const at = monotonic()
    if (percent === last.percent || at - last.at < 500) return
    last = { percent, at }
    const { id, status, message } = job
    const timestamp = new Date().toISOString()
    bus.publish({ id, status, message, timestamp, progress: percent, eta_seconds: etaSeconds })
  }
}
