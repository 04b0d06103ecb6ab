import { invalid, notFound } from '../problems.ts'
import type { JobRow } from '../tables.ts'
import { isDownloadable } from './job-machine.ts'

/** Returns a finished job with its file; throws a problem that says what the job is instead. */
export function findFinished(job: JobRow): JobRow & { artifact: string } {
  const { status, artifact } = job
  if (!isDownloadable(status)) throw invalid(`Only a finished job can be worked on, and this one is ${status}`)
  if (artifact === null) throw notFound('file')
  return { ...job, artifact }
}
