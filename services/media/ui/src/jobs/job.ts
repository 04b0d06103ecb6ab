import type { Job, JobStatus } from '../api.ts'

/** A job with the members that only events have. */
export interface LiveJob extends Job {
  /** Percent of the present step. */
  progress?: number | undefined
  eta_seconds?: number | null | undefined
}

const activeStatuses = new Set<JobStatus>(['queued', 'processing', 'downloading', 'transcoding', 'analysis'])
const downloadableStatuses = new Set<JobStatus>(['done', 'analysis_done', 'analysis'])

/** It waits or is worked on: there is something to watch, and to cancel. */
export const isActive = ({ status }: Pick<Job, 'status'>): boolean => activeStatuses.has(status)

/** Its file is there. */
export const isDownloadable = ({ status }: Pick<Job, 'status'>): boolean => downloadableStatuses.has(status)

/** It ended without a file and may be tried again. */
export const isFailed = ({ status }: Pick<Job, 'status'>): boolean => status === 'error' || status === 'cancelled'

/** Converts a stored timestamp, `YYYY-MM-DD HH:MM:SS` in UTC, to ISO text. */
export const toIsoString = (timestamp: string): string => `${timestamp.replace(' ', 'T')}Z`

/** Name of a job on screen: its title, or its URL while the title is not known. */
export function titleOf({ video_title: title, url }: Pick<Job, 'video_title' | 'url'>): string {
  if (title !== null && title.trim() !== '') return title
  return shortAddress(url)
}

/** An address as pages show it: without scheme and `www.`. */
export const shortAddress = (url: string): string => url.replace(/^https?:\/\/(?:www\.)?/, '')
