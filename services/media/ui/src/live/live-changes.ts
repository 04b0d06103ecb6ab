import type { Job, JobEvent } from '../api.ts'
import type { LiveJob } from '../jobs/job.ts'

/** The jobs that are known, newest first, without a gap from the newest on. */
export interface JobBook {
  jobs: readonly LiveJob[]
  /** The oldest one is among them. */
  isComplete: boolean
}

/** A job after an event. The progress of one step does not hold for the next one. */
export function patchJob<Known extends LiveJob | undefined>(job: Known, event: JobEvent): Known {
  if (job === undefined || job.id !== event.id) return job
  const { seq: _, timestamp: __, progress, eta_seconds: eta, ...members } = event
  const isSameStep = job.status === event.status
  return {
    ...job,
    ...members,
    progress: progress ?? (isSameStep ? job.progress : undefined),
    eta_seconds: progress === undefined ? (isSameStep ? job.eta_seconds : undefined) : eta,
  }
}

/** Writes an event into the list; a list without that job stays the same object. */
export function patchBook(book: JobBook | undefined, event: JobEvent): JobBook | undefined {
  if (book === undefined || !book.jobs.some(({ id }) => id === event.id)) return book
  return { ...book, jobs: book.jobs.map((job) => patchJob(job, event)) }
}

/** Puts a job that was added, or changed otherwise, where it belongs. */
export function putJob(book: JobBook | undefined, job: Job): JobBook | undefined {
  if (book === undefined) return undefined
  const known = book.jobs.find(({ id }) => id === job.id)
  if (known !== undefined)
    return { ...book, jobs: book.jobs.map((one) => (one.id === job.id ? refreshed(one, job) : one)) }
  // Timestamps are whole seconds; of two in the same one the job that was not there yet is the newer.
  const place = book.jobs.findIndex((other) => job.created_at >= other.created_at)
  if (place === -1) return book.isComplete ? { ...book, jobs: [...book.jobs, job] } : book
  return { ...book, jobs: book.jobs.toSpliced(place, 0, job) }
}

/** Takes a job out of the list. */
export function dropJob(book: JobBook | undefined, id: string | null): JobBook | undefined {
  return book === undefined ? undefined : { ...book, jobs: book.jobs.filter((job) => job.id !== id) }
}

/** Adds the next page at the end; `wanted` is the number of jobs that were requested. */
export function appendJobs(book: JobBook | undefined, page: readonly Job[], wanted: number): JobBook {
  const known = new Set(book?.jobs.map(({ id }) => id))
  const fresh = page.filter(({ id }) => !known.has(id))
  return { jobs: [...(book?.jobs ?? []), ...fresh], isComplete: page.length < wanted }
}

/** As many jobs as a snapshot may hold. */
export const snapshotSize = 50

/**
 * Returns the list after a snapshot of the newest jobs. What was loaded beyond it stays only when the snapshot reaches into what
 * was known, so that there is no gap.
 */
export function withSnapshot(book: JobBook | undefined, newest: readonly Job[]): JobBook {
  const before = new Map(book?.jobs.map((job) => [job.id, job]))
  const jobs = newest.map((job) => refreshed(before.get(job.id), job))
  const isWhole = newest.length < snapshotSize
  if (book === undefined || isWhole) return { jobs, isComplete: isWhole }
  const last = book.jobs.findIndex(({ id }) => id === newest.at(-1)?.id)
  if (last === -1) return { jobs, isComplete: false }
  const fresh = new Set(newest.map(({ id }) => id))
  const older = book.jobs.slice(last + 1).filter(({ id }) => !fresh.has(id))
  return { jobs: [...jobs, ...older], isComplete: book.isComplete }
}

/** A job as it was read again; the progress of a step that still runs is not forgotten. */
function refreshed(before: LiveJob | undefined, job: Job): LiveJob {
  if (before === undefined || before.status !== job.status) return job
  return { ...job, progress: before.progress, eta_seconds: before.eta_seconds }
}
