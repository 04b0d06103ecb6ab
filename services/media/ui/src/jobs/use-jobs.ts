import { answer, notifyProblem } from '@hearth/ui'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { appendJobs, type JobBook } from '../live/live-changes.ts'

/** Most jobs the server gives at a time. */
const pageSize = 100
const firstPage = 50

const readPage = (offset: number, limit: number, signal?: AbortSignal) =>
  answer(api.GET('/api/jobs', { params: { query: { offset, limit } }, ...(signal === undefined ? {} : { signal }) }))

/** The list of jobs: the newest ones at first, older ones on request; events keep it current. */
export function useJobs() {
  const cache = useQueryClient()
  const [more, setMore] = useState<'idle' | 'loading' | 'failed'>('idle')
  const jobs = useQuery<JobBook>({
    queryKey: keys.jobs,
    queryFn: async ({ signal }) => appendJobs(undefined, await readPage(0, firstPage, signal), firstPage),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const loadMore = async () => {
    setMore('loading')
    try {
      const known = cache.getQueryData<JobBook>(keys.jobs)?.jobs.length ?? 0
      const page = await readPage(known, pageSize)
      cache.setQueryData<JobBook>(keys.jobs, (book) => appendJobs(book, page, pageSize))
      setMore('idle')
    } catch (error) {
      setMore('failed')
      notifyProblem(error)
    }
  }
  return { ...jobs, isLoadingMore: more === 'loading', hasFailedMore: more === 'failed', loadMore }
}
