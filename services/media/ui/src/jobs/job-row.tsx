import { ActionIcon, Tooltip } from '@mantine/core'
import { formatBytes, RelativeTime } from '@hearth/ui'
import { IconBan, IconDownload, IconRefresh } from '@tabler/icons-react'
import { memo } from 'react'
import { Link } from 'wouter'
import type { Job } from '../api.ts'
import { isActive, isDownloadable, isFailed, isoMoment, type LiveJob, titleOf } from './job.ts'
import { JobProgress } from './job-progress.tsx'
import { clock, kindOf, platformNames } from './job-words.ts'
import { PlatformIcon } from './platform-icon.tsx'
import { JobStatusBadge } from './status.tsx'
import { Thumbnail } from './thumbnail.tsx'
import { helpFor } from './failure-help.ts'

/** What a row can have done with its job. */
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
        <Facts job={job} />
        {isActive(job) && <JobProgress job={job} />}
        {job.status === 'error' && (
          <p className="job-reason">
            {sentence(job.message)} <span>{helpFor(job).text}</span>
          </p>
        )}
      </div>
      <div className="job-end">
        <JobStatusBadge job={job} />
        <RowButtons job={job} isBusy={isBusy} actions={actions} />
      </div>
    </li>
  )
})

/** What is known of a job, in one line. */
function Facts({ job }: { job: Job }) {
  return (
    <ul className="facts-line">
      <li>
        <PlatformIcon platform={job.platform} /> {platformNames[job.platform]}
      </li>
      <li>{kindOf(job)}</li>
      {job.duration_seconds !== null && <li>{clock(job.duration_seconds)}</li>}
      {job.filesize_bytes !== null && <li>{formatBytes(job.filesize_bytes)}</li>}
      {job.bpm !== null && (
        <li>
          <span className="job-tempo">{job.bpm} BPM</span>
        </li>
      )}
      <li>
        <RelativeTime value={isoMoment(job.created_at)} />
      </li>
    </ul>
  )
}

const sentence = (text: string | null): string => (text ?? 'The download failed').replace(/(?<![.!?])$/, '.')

function RowButtons({ job, isBusy, actions }: { job: Job; isBusy: boolean; actions: RowActions }) {
  const name = titleOf(job)
  return (
    <div className="job-actions">
      {isDownloadable(job) && (
        <Tooltip label="Download the file">
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Download the file of ${name}`}
            loading={isBusy}
            onClick={() => actions.onSave(job)}
          >
            <IconDownload size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
      {isFailed(job) && (
        <Tooltip label="Try again">
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Try ${name} again`}
            loading={isBusy}
            onClick={() => actions.onRetry(job)}
          >
            <IconRefresh size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
      {isActive(job) && (
        <Tooltip label="Cancel">
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={`Cancel ${name}`}
            loading={isBusy && !isDownloadable(job)}
            onClick={() => actions.onCancel(job)}
          >
            <IconBan size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  )
}
