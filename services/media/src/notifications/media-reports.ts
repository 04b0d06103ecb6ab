import type { Reports } from '@hearth/notifications'
import type { JobRow } from '../tables.ts'

/** A job that ended, as far as its report tells of it. */
type EndedJob = Pick<JobRow, 'id' | 'video_title' | 'url' | 'status' | 'message' | 'error_code' | 'attempt'>

/** Turns what the service observes into notifications. */
export type MediaReports = ReturnType<typeof createMediaReports>

/** Creates the reports of what the service observes. */
export function createMediaReports(reports: Reports) {
  const storageExhausted = (now: number): void =>
    reports.notify({
      class: 'storage.full',
      // Once a day, whatever the number of downloads and processes that notice.
      key: new Date(now).toISOString().slice(0, 10),
      title: 'The storage budget is exhausted',
      text: 'Nothing more may go to make room. Raise the budget, or unpin or delete downloads.',
      path: '/settings?tab=storage',
    })
  return {
    /** Reports that the budget cannot be kept, or has no room for a download. */
    storageExhausted,
    /** Reports that the stored files cannot be found, or that they are there again. */
    storageMissing(isMissing: boolean): void {
      const condition = { class: 'storage.missing', subject: 'storage', path: '/settings?tab=storage' }
      if (!isMissing) reports.end({ ...condition, title: 'The stored files are there again', text: '' })
      else
        reports.begin({
          ...condition,
          title: 'The stored files cannot be found',
          text: 'Not one of them is in the place that ARTIFACTS names. Mount its disk, or correct the setting; nothing is forgotten.',
        })
    },
    /** Reports the end of a job that failed, or is done. */
    jobEnded(job: EndedJob, now: number): void {
      const { id, video_title: title, url, status, message } = job
      if (status === 'cancelled') return
      if (job.error_code === 'no_room') storageExhausted(now)
      reports.notify({
        class: status === 'error' ? 'job.failed' : 'job.done',
        // Several processes see the same end.
        key: `${id} ${job.attempt}`,
        title: `Download ${status === 'error' ? 'failed' : 'finished'}: ${title ?? new URL(url).hostname}`,
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
