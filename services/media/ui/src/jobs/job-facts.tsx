import { formatBytes, formatDuration, RelativeTime, StatusBadge } from '@hearth/ui'
import {
  IconCircleDashed,
  IconDownload,
  IconHourglass,
  IconMetronome,
  IconPlayerPause,
  IconTransform,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Job, JobStatus } from '../api.ts'
import { Bar } from '../progress/waiting.tsx'
import { toIsoString, type LiveJob } from './job.ts'
import { clock, kindOf, platformNames, statusWords } from './job-labels.ts'
import { PlatformIcon } from './platform-icon.tsx'
import './jobs.css'

/** Facts about a job, in one line. */
export function JobFacts({ job }: { job: Job }) {
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
        <RelativeTime value={toIsoString(job.created_at)} />
      </li>
    </ul>
  )
}

const icons: Partial<Record<JobStatus, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  queued: IconHourglass,
  processing: IconCircleDashed,
  downloading: IconDownload,
  transcoding: IconTransform,
  analysis: IconMetronome,
  cancelled: IconPlayerPause,
}

/** The status of a job with its own icon and word. */
export function JobStatusBadge({ job }: { job: Pick<Job, 'status'> }) {
  const { text, tone } = statusWords[job.status]
  return (
    <StatusBadge tone={tone} icon={icons[job.status]}>
      {text}
    </StatusBadge>
  )
}

/** Progress of a job: step, percent and remaining time, above a bar. */
export function JobProgress({ job }: { job: LiveJob }) {
  const { step } = statusWords[job.status]
  const isWaiting = job.status === 'queued'
  const left = remaining(job)
  const text = isWaiting ? step : left && `${job.progress} %, ${left}`
  return (
    <div className="job-progress">
      <p>
        <span>{job.message === null || job.message === '' || isWaiting ? step : job.message}</span>
        <span className="job-progress-figures">
          {job.progress !== undefined && <b>{job.progress} %</b>}
          {left !== undefined && <span> {left}</span>}
        </span>
      </p>
      <Bar label={step} value={isWaiting ? 0 : job.progress} {...(text === undefined ? {} : { text })} />
    </div>
  )
}

function remaining({ eta_seconds: eta }: LiveJob): string | undefined {
  if (eta === null || eta === undefined) return undefined
  return eta < 1 ? 'nearly there' : `${formatDuration(eta)} left`
}
