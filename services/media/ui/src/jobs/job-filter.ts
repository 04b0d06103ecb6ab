import type { Job } from '../api.ts'
import { isActive, isDownloadable, isFailed, titleOf } from './job.ts'

/** Filter of the downloads; empty texts show all. The page's URL carries the same values. */
export interface JobFilter {
  show: string
  type: string
  platform: string
  /** Order of the list; empty for the newest first. */
  sort: string
  search: string
}

/** The choices of `show`, in the order of the control. */
export const shows = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'done', label: 'Done' },
  { value: 'failed', label: 'Failed' },
] satisfies { value: string; label: string }[]

/** The orders of the list. */
export const sorts = [
  { value: '', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'title', label: 'Title' },
  { value: 'tempo', label: 'Tempo, slow first' },
  { value: 'tempo-desc', label: 'Tempo, fast first' },
  { value: 'key', label: 'Key' },
  { value: 'loudness-desc', label: 'Loudest first' },
  { value: 'loudness', label: 'Quietest first' },
  { value: 'length-desc', label: 'Longest first' },
] satisfies { value: string; label: string }[]

const sortValues: Readonly<Record<string, (job: Job) => number | string | null>> = {
  title: (job) => titleOf(job).toLowerCase(),
  tempo: ({ bpm }) => bpm,
  key: ({ key_camelot: camelot }) =>
    camelot === null ? null : Number.parseInt(camelot, 10) * 2 + (camelot.endsWith('B') ? 1 : 0),
  loudness: ({ loudness_lufs: loudness }) => loudness,
  length: ({ duration_seconds: seconds }) => seconds,
}

/** The jobs, newest first, in another order. Jobs without the value come last; among equals the newest stays first. */
export function sortJobs<Known extends Job>(jobs: readonly Known[], sort: string): readonly Known[] {
  if (sort === 'oldest') return jobs.toReversed()
  const isDescending = sort.endsWith('-desc')
  const valueOf = sortValues[sort.replace(/-desc$/, '')]
  if (valueOf === undefined) return jobs
  return jobs.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    if (a === b) return 0
    return a < b === isDescending ? 1 : -1
  })
}

/** Returns true if the filter hides anything. */
export const isNarrowed = ({ show, type, platform, search }: JobFilter): boolean =>
  [show, type, platform, search].some((part) => part !== '')

/** The jobs a filter lets through, in their order. Every word of the search must be found somewhere. */
export function filterJobs<Known extends Job>(jobs: readonly Known[], filter: JobFilter): readonly Known[] {
  if (!isNarrowed(filter)) return jobs
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean)
  return jobs.filter(
    (job) =>
      isShown(job, filter.show) &&
      (filter.type === '' || job.type === filter.type) &&
      (filter.platform === '' || job.platform === filter.platform) &&
      hasWords(job, words),
  )
}

function isShown(job: Job, show: string): boolean {
  if (show === 'active') return isActive(job)
  if (show === 'done') return isDownloadable(job) && !isActive(job)
  if (show === 'failed') return isFailed(job)
  return true
}

function hasWords(job: Job, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const tempo = job.bpm === null ? '' : `${job.bpm} bpm`
  const key = `${job.key ?? ''} ${job.key_camelot ?? ''}`
  const text = [titleOf(job), job.video_meta_hover ?? '', job.url, tempo, key].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}
