import { answer, useAction } from '@hearth/ui'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { api, type Job, keys } from '../api.ts'
import { type JobBook, putJob } from '../live/live-changes.ts'
import { download } from './download.ts'
import { titleOf } from './job.ts'

const ofJob = (id: string) => ({ params: { path: { job_id: id } } })

/**
 * Writes the job of an answer into what is shown, unless events have told something newer of it: then its status is not any
 * more what it was `before` the request.
 */
export function showAnswer(cache: QueryClient, job: Job, before: Job['status'] | undefined): void {
  const listed = cache.getQueryData<JobBook>(keys.jobs)?.jobs.find(({ id }) => id === job.id)
  const known = listed ?? cache.getQueryData<Job>(keys.job(job.id))
  if (known?.status !== before) return
  cache.setQueryData<JobBook>(keys.jobs, (book) => putJob(book, job))
  cache.setQueryData<Job>(keys.job(job.id), job)
}

/** What can be done with one job. */
export function useJobActions() {
  const cache = useQueryClient()
  const cancel = useAction<Job, Job>({
    run: ({ id }) => answer(api.POST('/api/jobs/{job_id}/cancel', ofJob(id))),
    done: (job) => `Cancelled: ${titleOf(job)}`,
    onDone: (job, { status }) => showAnswer(cache, job, status),
  })
  const retry = useAction<Job, Job>({
    run: ({ id }) => answer(api.POST('/api/jobs/{job_id}/retry', ofJob(id))),
    done: (job) => `Trying again: ${titleOf(job)}`,
    onDone: (job, { status }) => showAnswer(cache, job, status),
  })
  const save = useDownload()
  return { cancel, retry, save }
}

/** Downloads of this service by their path, with a failure told. */
export function useDownload() {
  return useAction<string, void>({ run: (path) => download(path) })
}

/** The path of a job's file, for `useDownload`. */
export const filePath = ({ id }: Pick<Job, 'id'>): string => `/download/${id}`

/** The path of a sound as it is stored, without another encoding. */
export const originalPath = (job: Pick<Job, 'id'>): string => `${filePath(job)}?format=original`
