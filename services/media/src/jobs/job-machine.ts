import type { JobStatus } from './schema.ts'

/** Steps of a job from one state to the next (docs/reference/media-api.md, "Jobs"). */
export type JobStep =
  | 'claimed'
  | 'download-begun'
  | 'transcode-begun'
  | 'analysis-begun'
  | 'analysed'
  | 'analysed-again'
  | 'analysis-postponed'
  | 'finished'
  | 'failed'
  | 'cancelled'
  | 'handed-back'
  | 'lost'
  | 'retried'

const table: Record<JobStep, { readonly from: readonly JobStatus[]; readonly to: JobStatus }> = {
  claimed: { from: ['queued'], to: 'processing' },
  'download-begun': { from: ['processing'], to: 'downloading' },
  'transcode-begun': { from: ['downloading'], to: 'transcoding' },
  'analysis-begun': { from: ['downloading', 'transcoding'], to: 'analysis' },
  analysed: { from: ['analysis'], to: 'analysis_done' },
  'analysed-again': { from: ['done', 'analysis_done'], to: 'analysis_done' },
  // A worker that stops or is lost leaves a good file; its sound is analysed later.
  'analysis-postponed': { from: ['analysis'], to: 'done' },
  // An audio file is finished too when it is too long to analyse, or when the analysis fails: the file is good.
  finished: { from: ['downloading', 'transcoding', 'analysis'], to: 'done' },
  failed: { from: ['processing', 'downloading', 'transcoding'], to: 'error' },
  cancelled: { from: ['queued', 'processing', 'downloading', 'transcoding', 'analysis'], to: 'cancelled' },
  // A worker that stops returns its job; the job of a lost worker is reclaimed.
  'handed-back': { from: ['processing', 'downloading', 'transcoding'], to: 'queued' },
  lost: { from: ['processing', 'downloading', 'transcoding', 'analysis'], to: 'cancelled' },
  retried: { from: ['error', 'cancelled'], to: 'queued' },
}

/** The state after a step. */
export const statusAfter = (step: JobStep): JobStatus => table[step].to

/** The states in which a step may happen; in any other it is refused. */
export const statusesBefore = (step: JobStep): readonly JobStatus[] => table[step].from

/** A worker runs it. */
export const activeStatuses: readonly JobStatus[] = ['processing', 'downloading', 'transcoding', 'analysis']

/** Its file may be fetched. */
export const downloadableStatuses: readonly JobStatus[] = ['done', 'analysis_done', 'analysis']

/** The job succeeded. */
export const completedStatuses: readonly JobStatus[] = ['done', 'analysis_done']

/** Returns true if a worker has the job. */
export const isActive = (status: JobStatus): boolean => activeStatuses.includes(status)
/** Returns true if the file of the job can be downloaded. */
export const isDownloadable = (status: JobStatus): boolean => downloadableStatuses.includes(status)

const lastStatuses = new Set<JobStatus>(['done', 'analysis_done', 'error', 'cancelled'])

/** The job does not change any more by itself. */
export const isTerminal = (status: JobStatus): boolean => lastStatuses.has(status)
