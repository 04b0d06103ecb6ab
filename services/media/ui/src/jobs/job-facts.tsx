import { formatBytes, formatDuration, RelativeTime, StatusBadge } from '@hearth/ui'
import {
  IconCircleDashed,
  IconDownload,
  IconHourglass,
  IconMetronome,
  IconPin,
  IconPlayerPause,
  IconTransform,
} from '@tabler/icons-react'
import { Children, type ComponentType, type ReactNode } from 'react'
import type { Job, JobStatus, Platform } from '../api.ts'
import { decibels } from './sound-figures.ts'
import { Bar } from '../progress/waiting.tsx'
import { toIsoString, type LiveJob } from './job.ts'
import { clock, kindOf, platformNames, statusWords } from './job-labels.ts'
import { PlatformIcon } from './platform-icon.tsx'
import './jobs.css'

/** Facts side by side, each child one of them; false and null are left out. */
export function FactsLine({ children }: { children: ReactNode }) {
  return (
    <ul className="facts-line">
      {Children.map(Children.toArray(children), (fact) => (
        <li>{fact}</li>
      ))}
    </ul>
  )
}

/** A platform with its sign. */
export function PlatformName({ platform }: { platform: Platform }) {
  return (
    <>
      <PlatformIcon platform={platform} /> {platformNames[platform]}
    </>
  )
}

/** Facts about a job, in one line. */
export function JobFacts({ job }: { job: Job }) {
  return (
    <FactsLine>
      <PlatformName platform={job.platform} />
      {kindOf(job)}
      {job.duration_seconds !== null && clock(job.duration_seconds)}
      {job.filesize_bytes !== null && formatBytes(job.filesize_bytes)}
      {job.bpm !== null && <span className="job-tempo">{job.bpm} BPM</span>}
      {job.key !== null && (
        <span className="job-tempo">
          {job.key} <span className="camelot">{job.key_camelot}</span>
        </span>
      )}
      {job.loudness_lufs !== null && `${decibels(job.loudness_lufs)} LUFS`}
      <RelativeTime value={toIsoString(job.created_at)} />
      {job.pinned && (
        <span className="job-pinned">
          <IconPin size={14} aria-hidden /> Pinned
        </span>
      )}
    </FactsLine>
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
        <span>{job.message === null || job.message === '' ? step : job.message}</span>
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
