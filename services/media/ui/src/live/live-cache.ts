import { followEvents, type EventEffects } from '@hearth/ui'
import type { QueryClient } from '@tanstack/react-query'
import {
  keys,
  readJob,
  session,
  type Export,
  type ExportEvent,
  type Job,
  type JobEvent,
  type StemEvent,
  type StreamMessage,
} from '../api.ts'
import { isActive, type LiveJob } from '../jobs/job.ts'
import { dropJob, patchBook, patchJob, putJob, withSnapshot, type JobBook } from './live-changes.ts'

/** A message of `/events`; the last one of a session says that it ended. */
export type LiveMessage = StreamMessage | { type: 'authentication_required' }

type Typed = Exclude<LiveMessage, JobEvent>

interface Effects extends EventEffects {
  /** Ends when every job that was added so far stands in the list: they go in in their order. */
  added: { all: Promise<void> }
  /** Events of jobs that are being read for the first time, to be put on top of what is read. */
  arriving: Map<string, JobEvent[]>
}

/**
 * Creates the `onEvent` of the page. Jobs are written into the cached answers; figures and lists that depend on them are noted
 * and read again. A second snapshot means that events were missed, and everything else is read afresh.
 */
export function followJobs(): (message: LiveMessage, cache: QueryClient) => void {
  let hasBegun = false
  const state = { arriving: new Map<string, JobEvent[]>(), added: { all: Promise.resolve() } }
  return followEvents<LiveMessage>((message, { cache, refresher }) => {
    const effects = { ...state, cache, refresher }
    if (!('type' in message)) return noteJob(message, effects)
    if (message.type === 'snapshot' && hasBegun)
      void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.jobs[0] })
    if (message.type === 'snapshot') hasBegun = true
    noteTyped(message, effects)
  })
}

function noteJob(event: JobEvent, { cache, refresher, arriving }: Effects): void {
  arriving.get(event.id)?.push(event)
  const before = cache.getQueryData<JobBook>(keys.jobs)?.jobs.find(({ id }) => id === event.id)
  cache.setQueryData<JobBook>(keys.jobs, (book) => patchBook(book, event))
  cache.setQueryData<LiveJob>(keys.job(event.id), (job) => patchJob(job, event))
  // What is being read at this moment may be older than the event.
  if (cache.isFetching({ queryKey: keys.job(event.id) }) > 0) refresher.note(keys.job(event.id).join(' '))
  const isOther = before?.status !== event.status
  if (isOther || event.filename !== undefined || event.pinned !== undefined) refresher.note('storage')
  if (isOther) for (const name of ['statistics', 'tempi']) refresher.note(name)
  // A platform is judged by the downloads that ended.
  if (isOther && !isActive(event)) refresher.note('platforms')
  if (isOther || event.tags !== undefined) for (const name of ['library', 'library-tags']) refresher.note(name)
}

function noteTyped(message: Typed, effects: Effects): void {
  const { cache, refresher } = effects
  switch (message.type) {
    case 'snapshot':
      void takeSnapshot(message.jobs, cache)
      return
    case 'stem_progress':
      noteStem(message, effects)
      return
    case 'export_changed':
      noteExport(message, effects)
      return
    case 'job_added':
      effects.added.all = addJob(message.job_id, effects)
      return
    case 'job_removed':
      cache.setQueryData<JobBook>(keys.jobs, (book) => dropJob(book, message.job_id))
      if (message.job_id !== null) refresher.note(keys.job(message.job_id).join(' '))
      for (const name of ['statistics', 'tempi', 'library', 'library-tags', 'collections', 'shares'])
        refresher.note(name)
      return
    case 'jobs_cleared':
      cache.setQueryData<JobBook>(keys.jobs, { jobs: [], isComplete: true })
      for (const name of ['job', 'statistics', 'tempi', 'shares', 'trims', 'library', 'library-tags', 'collections'])
        refresher.note(name)
      return
    case 'lists_changed':
      for (const name of ['imports', 'followed']) refresher.note(name)
      return
    case 'platforms_changed':
      refresher.note('platforms')
      return
    case 'settings_changed':
      for (const name of ['settings', 'session', 'logo', 'cookies', 'stem-status', 'storage']) refresher.note(name)
      // Sign-in may be needed from now on, or not any more.
      void session.check()
      return
    case 'authentication_required':
      void session.check()
      return
    // The stream ends after these and begins anew with a snapshot.
    case 'resync_required':
    case 'shutdown':
  }
}

/** Whatever list is being read is older than the snapshot. */
async function takeSnapshot(jobs: readonly Job[], cache: QueryClient): Promise<void> {
  await cache.cancelQueries({ queryKey: keys.jobs })
  cache.setQueryData<JobBook>(keys.jobs, (book) => withSnapshot(book, jobs))
}

async function addJob(id: string | null, { cache, arriving, added }: Effects): Promise<void> {
  if (id === null) return added.all
  const events: JobEvent[] = []
  arriving.set(id, events)
  const earlier = added.all
  try {
    const [job] = await Promise.all([readJob(id), earlier])
    const latest = events.reduce<LiveJob>((known, event) => patchJob(known, event), job)
    cache.setQueryData<JobBook>(keys.jobs, (book) => putJob(book, latest))
  } catch {
    // The job is gone again, or there were too many requests: the next snapshot has the state.
  } finally {
    arriving.delete(id)
  }
}

/** Progress goes into what is shown; what is new, or has ended, is read. An export is shown as done with its files, not before. */
function noteExport({ job_id, export_id, ...state }: ExportEvent, { cache, refresher }: Effects): void {
  const key = keys.exports(job_id)
  const shown = cache.getQueryData<Export[]>(key)?.find(({ id }) => id === export_id)
  const known = state.status === 'done' ? { progress: state.progress } : state
  cache.setQueryData<Export[]>(key, (all) => all?.map((one) => (one === shown ? { ...one, ...known } : one)))
  if (shown === undefined || !['queued', 'running'].includes(state.status)) refresher.note(key.join(' '))
}

function noteStem(event: StemEvent, { cache, refresher }: Effects): void {
  cache.setQueryData<StemEvent>(keys.stemProgress(event.job_id), event)
  if (event.stage !== 'done' && event.stage !== 'failed') return
  for (const name of [`stems ${event.job_id}`, 'stem-status', 'statistics']) refresher.note(name)
}
