import type { Job } from '../api.ts'
import { isActive, isDownloadable, isFailed, titleOf } from './job.ts'

/** Filter of the downloads; empty texts show all. The page's URL carries the same values. */
export interface JobFilter {
  show: string
  type: string
  platform: string
  search: string
}

/** The choices of `show`, in the order of the control. */
export const shows = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'done', label: 'Done' },
  { value: 'failed', label: 'Failed' },
] satisfies { value: string; label: string }[]

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
  const text = [titleOf(job), job.video_meta_hover ?? '', job.url, tempo].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}
