import { Button, Text } from '@mantine/core'
import { answer, EmptyState, formatCount, notifyProblem, QueryState } from '@hearth/ui'
import { IconClipboardText, IconFilterOff } from '@tabler/icons-react'
import { useEffect, useMemo, useState, type ReactNode, type RefObject } from 'react'
import type { LiveJob } from './job.ts'
import { filterJobs, isNarrowed, sortJobs, type JobFilter } from './job-filter.ts'
import { JobRow, type RowActions } from './job-row.tsx'
import { Waiting } from '../progress/waiting.tsx'
import { filePath, useJobActions } from './use-job-actions.ts'
import { useListKeys } from './use-list-keys.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import { appendJobs, type JobBook } from '../live/live-changes.ts'

interface JobListProps {
  /** Stands over the list when there is something to choose from. */
  toolbar: ReactNode
  filter: JobFilter
  onReset: () => void
  field: RefObject<HTMLElement | null>
  search: RefObject<HTMLElement | null>
  onHelp: () => void
}

/** Older downloads are searched automatically until this many are known, or this many are found. */
const lookedThrough = 1000
const foundEnough = 20

/** The downloads a filter lets through, live, with the older ones on request. */
export function JobList({ toolbar, filter, onReset, field, search, onHelp }: JobListProps) {
  const jobs = useJobs()
  const { isBusy, actions } = useRowActions()
  const known = jobs.data?.jobs
  const found = useMemo(() => sortJobs(filterJobs(known ?? [], filter), filter.sort), [known, filter])
  const isSearching =
    (filter.sort !== '' || (isNarrowed(filter) && found.length < foundEnough)) &&
    jobs.data?.isComplete === false &&
    jobs.data.jobs.length < lookedThrough
  useLookFurther(isSearching && !jobs.isLoadingMore && !jobs.hasFailedMore, jobs.loadMore)
  useListKeys({ jobs: found, actions, field, search, onHelp })
  if (jobs.data === undefined)
    return (
      <div className="jobs-room">
        <QueryState query={jobs} lines={6} />
      </div>
    )
  if (jobs.data.jobs.length === 0) return <NoJobs />
  return (
    <>
      {toolbar}
      {found.length > 0 && (
        <ul className="jobs" aria-label="Downloads">
          {found.map((job) => (
            <JobRow key={job.id} job={job} isBusy={isBusy(job)} actions={actions} />
          ))}
        </ul>
      )}
      {found.length === 0 && !isSearching && <NothingFound isComplete={jobs.data.isComplete} onReset={onReset} />}
      <div className="jobs-foot">
        {isSearching && <Waiting label="Reading older downloads" />}
        {!isSearching && !jobs.data.isComplete && (
          <Button variant="default" loading={jobs.isLoadingMore} onClick={() => void jobs.loadMore()}>
            Load older downloads
          </Button>
        )}
        <Text component="output" size="sm" c="dimmed">
          {countOf(found, jobs.data)}
        </Text>
      </div>
    </>
  )
}

function countOf(found: readonly LiveJob[], { jobs, isComplete }: { jobs: readonly LiveJob[]; isComplete: boolean }) {
  const all = `${formatCount(jobs.length, 'download')}${isComplete ? '' : ' so far'}`
  return found.length === jobs.length ? all : `${found.length} of ${all}`
}

function NoJobs() {
  return (
    <div className="jobs-room">
      <EmptyState icon={IconClipboardText} title="Nothing was downloaded yet">
        Copy the address of a video from YouTube, TikTok, Instagram or Facebook, and paste it on this page.
      </EmptyState>
    </div>
  )
}

function NothingFound({ isComplete, onReset }: { isComplete: boolean; onReset: () => void }) {
  return (
    <EmptyState
      icon={IconFilterOff}
      title="No download fits"
      action={
        <Button variant="default" onClick={onReset}>
          Show all
        </Button>
      }
    >
      {isComplete ? 'Try fewer words or another filter.' : 'Older downloads are not loaded yet.'}
    </EmptyState>
  )
}

function useLookFurther(isWanted: boolean, loadMore: () => Promise<void>): void {
  useEffect(() => {
    if (isWanted) void loadMore()
    // The loader is another function each time; only whether more is wanted counts.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isWanted])
}

/** The actions of all rows, the same object each time, and whether one is under way for a job. */
function useRowActions() {
  const { cancel, retry, save } = useJobActions()
  const [onCancel, onRetry, onSave] = [cancel.mutate, retry.mutate, save.mutate]
  const actions = useMemo<RowActions>(
    () => ({
      onCancel: (job) => onCancel(job),
      onRetry: (job) => onRetry(job),
      onSave: (job) => onSave(filePath(job)),
    }),
    [onCancel, onRetry, onSave],
  )
  const isBusy = (job: LiveJob) =>
    (cancel.isPending && cancel.variables.id === job.id) ||
    (retry.isPending && retry.variables.id === job.id) ||
    (save.isPending && save.variables === filePath(job))
  return { actions, isBusy }
}

/** Most jobs the server gives at a time. */
const pageSize = 100
const firstPage = 50

const readPage = (offset: number, limit: number, signal?: AbortSignal) =>
  answer(api.GET('/api/jobs', { params: { query: { offset, limit } }, ...(signal === undefined ? {} : { signal }) }))

/** The list of jobs: the newest ones at first, older ones on request; events keep it current. */
function useJobs() {
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
