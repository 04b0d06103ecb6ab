import { answer, formatCount, notifyDone, useAction } from '@hearth/ui'
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { paths } from '../api.gen.ts'
import { api, fetchPath, keys, ofJob, type Job } from '../api.ts'
import { putJob, type JobBook } from '../live/live-changes.ts'
import { titleOf } from './job.ts'

/**
 * Writes the job of an answer into what is shown, unless an event was newer: then its status differs from the one `before`
 * the request.
 */
export function showAnswer(cache: QueryClient, job: Job, before: Job['status'] | undefined): void {
  const listed = cache.getQueryData<JobBook>(keys.jobs)?.jobs.find(({ id }) => id === job.id)
  const known = listed ?? cache.getQueryData<Job>(keys.job(job.id))
  if (known?.status !== before) return
  cache.setQueryData<JobBook>(keys.jobs, (book) => putJob(book, job))
  cache.setQueryData<Job>(keys.job(job.id), job)
}

/** Actions on one job. */
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

/** Pins downloads, whose files then never go to make room, or unpins them. */
export function usePin(ids: readonly string[], onDone?: () => void) {
  const cache = useQueryClient()
  return useAction<boolean, readonly Job[]>({
    async run(pinned) {
      const changed: Job[] = []
      // One request takes so many.
      for (let index = 0; index < ids.length; index += 200) {
        const body = { job_ids: ids.slice(index, index + 200), pinned }
        changed.push(...(await answer(api.POST('/api/jobs/pin', { body }))).jobs)
      }
      return changed
    },
    done: (jobs) => `${formatCount(jobs.length, 'download')} ${jobs[0]?.pinned === true ? 'pinned' : 'unpinned'}`,
    renew: [keys.library, keys.storage],
    onDone(jobs) {
      for (const job of jobs) showAnswer(cache, job, job.status)
      onDone?.()
    },
  })
}

/** Downloads a path of this service; a failure is shown as a notification. */
export function useDownload() {
  return useAction<string, void>({ run: (path) => download(path) })
}

/** Creates the props of a button that downloads a path. */
export function useDownloadButton() {
  const save = useDownload()
  return (path: string) => ({
    loading: save.isPending && save.variables === path,
    onClick: () => save.mutate(path),
  })
}

/** The path of a job's file, for `useDownload`. */
export const filePath = ({ id }: Pick<Job, 'id'>): string => `/download/${id}`

/** A format that sounds can be saved in. */
export type SoundFormat = NonNullable<NonNullable<paths['/download/{job_id}']['get']['parameters']['query']>['format']>

/** The path of a sound in a format. */
export const soundPath = (job: Pick<Job, 'id'>, format: SoundFormat): string => `${filePath(job)}?format=${format}`

/** Time after which a notification says that the file is being prepared, milliseconds. */
const patience = 1200

/**
 * Has the browser save what stands at a path. The server may have to make it first, an MP3 for example; the browser's own
 * download begins when it is there. Throws an `ApiError` when it cannot be had.
 */
async function download(path: string): Promise<void> {
  const notice = setTimeout(() => notifyDone('The file is being prepared; the download begins by itself.'), patience)
  try {
    const response = await fetchPath(path, { headers: { range: 'bytes=0-0' } })
    await response.body?.cancel()
  } finally {
    clearTimeout(notice)
  }
  const link = document.createElement('a')
  link.href = path
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}
