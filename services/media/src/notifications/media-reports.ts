import type { Reports } from '@hearth/notifications'
import type { JobRow } from '../tables.ts'

/** A job that ended, as far as its report tells of it. */
type EndedJob = Pick<JobRow, 'id' | 'video_title' | 'url' | 'status' | 'message' | 'attempt'>

/** Turns what the service observes into notifications. */
export type MediaReports = ReturnType<typeof createMediaReports>

/** Creates the reports of what the service observes. */
export function createMediaReports(reports: Reports) {
  return {
    /** Reports the end of a job that failed. */
    jobEnded(job: EndedJob): void {
      const { id, video_title: title, url, status, message } = job
      if (status !== 'error') return
      reports.notify({
        class: 'job.failed',
        // Several processes see the same end.
        key: `${id} ${job.attempt}`,
        title: `Download failed: ${title ?? new URL(url).hostname}`,
        text: message ?? '',
        path: `/job/${id}`,
      })
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
