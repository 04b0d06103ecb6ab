import { StatusBadge } from '@hearth/ui'
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
import { statusWords } from './job-words.ts'

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
