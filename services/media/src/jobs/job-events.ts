import type { JobRow } from '../tables.ts'
import type { MediaBus } from '../events.ts'
import type { MediaEvent } from '../events.ts'
import { jobOfRow } from './job-view.ts'
import type { Job } from './schema.ts'

/** Members of a job that an event carries when they changed. */
const eventMembers = [
  'filename',
  'filesize_bytes',
  'codec',
  'bitrate_kbps',
  'video_title',
  'video_meta_hover',
  'duration_seconds',
  'finished_at',
  'bpm',
  'bpm_confidence',
  'audio_hash',
] as const satisfies readonly (keyof Job)[]

/** The event of a job that changed from one state of its row to another. */
export function jobEvent(before: JobRow | undefined, after: JobRow, now: number): MediaEvent {
  const [old, job] = [before === undefined ? undefined : jobOfRow(before), jobOfRow(after)]
  const changes = Object.fromEntries(
    eventMembers.filter((name) => old?.[name] !== job[name]).map((name) => [name, job[name]]),
  )
  return { id: job.id, status: job.status, message: job.message, timestamp: new Date(now).toISOString(), ...changes }
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
