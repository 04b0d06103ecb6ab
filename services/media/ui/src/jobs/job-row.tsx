import { Tooltip } from '@mantine/core'
import { IconAction } from '@hearth/ui'
import { IconBan, IconDownload, IconRefresh } from '@tabler/icons-react'
import { lazy, memo, Suspense } from 'react'
import { Link } from 'wouter'
import type { Job } from '../api.ts'
import { isActive, isDownloadable, isFailed, titleOf, type LiveJob } from './job.ts'
import { JobFacts, JobProgress, JobStatusBadge } from './job-facts.tsx'
import { Thumbnail } from './thumbnail.tsx'

/** Loaded with the first download that failed. */
const FailureReason = lazy(async () => ({ default: (await import('./failure-reason.tsx')).FailureReason }))

/** Actions of a row. */
export interface RowActions {
  onCancel: (job: Job) => void
  onRetry: (job: Job) => void
  onSave: (job: Job) => void
}

/** One download in the list. The row itself takes the focus when it is walked through with the keyboard. */
export const JobRow = memo(function JobRow(props: { job: LiveJob; isBusy: boolean; actions: RowActions }) {
  const { job, isBusy, actions } = props
  return (
    <li className="job-row" data-job={job.id} tabIndex={-1} aria-label={titleOf(job)}>
      <Thumbnail job={job} />
      <div className="job-main">
        <Tooltip label={job.video_meta_hover} disabled={job.video_meta_hover === null} multiline maw={360}>
          <Link href={`/job/${job.id}`} className="hearth-name job-title">
            {titleOf(job)}
          </Link>
        </Tooltip>
        <JobFacts job={job} />
        {isActive(job) && <JobProgress job={job} />}
        {job.status === 'error' && (
          <Suspense fallback={<p className="job-reason">{sentence(job.message)}</p>}>
            <FailureReason {...{ job, isBusy }} message={sentence(job.message)} onRetry={() => actions.onRetry(job)} />
          </Suspense>
        )}
      </div>
      <div className="job-end">
        <JobStatusBadge job={job} />
        <RowButtons job={job} isBusy={isBusy} actions={actions} />
      </div>
    </li>
  )
})

const sentence = (text: string | null): string => (text ?? 'The download failed').replace(/(?<![.!?])$/, '.')

function RowButtons({ job, isBusy, actions }: { job: Job; isBusy: boolean; actions: RowActions }) {
  const name = titleOf(job)
  return (
    <div className="job-actions">
      {isDownloadable(job) && (
        <IconAction
          icon={IconDownload}
          tip="Download the file"
          label={`Download the file of ${name}`}
          loading={isBusy}
          onClick={() => actions.onSave(job)}
        />
      )}
      {isFailed(job) && (
        <IconAction
          icon={IconRefresh}
          tip="Try again"
          label={`Try ${name} again`}
          loading={isBusy}
          onClick={() => actions.onRetry(job)}
        />
      )}
      {isActive(job) && (
        <IconAction
          icon={IconBan}
          tip="Cancel"
          label={`Cancel ${name}`}
          loading={isBusy && !isDownloadable(job)}
          onClick={() => actions.onCancel(job)}
        />
      )}
    </div>
  )
}
