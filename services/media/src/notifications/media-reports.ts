import type { Reports } from '@hearth/notifications'
import { completedStatuses } from '../jobs/job-machine.ts'
import type { JobRow } from '../tables.ts'

/** Failures that say that a platform refuses this server, and not one request. */
const blocking: ReadonlySet<string> = new Set(['bot_check', 'rate_limited'])

/** A job that ended, as far as its report tells of it. */
type EndedJob = Pick<
  JobRow,
  'id' | 'video_title' | 'url' | 'platform' | 'status' | 'error_code' | 'message' | 'attempt'
>

/** Turns what the service observes into notifications. */
export type MediaReports = ReturnType<typeof createMediaReports>

/** Creates the reports of what the service observes. */
export function createMediaReports(reports: Reports) {
  return {
    /** Reports the end of a job; those that completed say that their platform lets this server in. */
    jobEnded(job: EndedJob): void {
      const { id, video_title: title, url, platform, status, error_code: code, message } = job
      const blocked = { class: 'platform.blocked', subject: platform, path: '/settings?tab=cookies' }
      if (completedStatuses.includes(status))
        reports.end({ ...blocked, title: `${nameOf(platform)} lets this server in again`, text: '' })
      if (status !== 'error') return
      reports.notify({
        class: 'job.failed',
        // Several processes see the same end.
        key: `${id} ${job.attempt}`,
        title: `Download failed: ${title ?? new URL(url).hostname}`,
        text: message ?? '',
        path: `/job/${id}`,
      })
      if (code !== null && blocking.has(code))
        reports.begin({ ...blocked, title: `${nameOf(platform)} blocks this server`, text: message ?? '' })
    },
    /** Reports that a newer version of a tool was not taken. */
    updateGivenUp(message: string): void {
      reports.notify({
        class: 'tool.update',
        title: 'yt-dlp was not updated',
        text: message,
        path: '/settings?tab=tools',
      })
    },
  }
}

const names: Readonly<Record<string, string>> = {
  youtube: 'YouTube',
  tiktok: 'TikTok',
  instagram: 'Instagram',
  facebook: 'Facebook',
}

const nameOf = (platform: string): string => names[platform] ?? platform
