import type { Job } from '../api.ts'
import { helpFor } from './failure-help.ts'
import { RemedyButton } from './remedy-button.tsx'

interface FailureReasonProps {
  job: Job
  /** What happened, as a sentence. */
  message: string
  /** True while the job is tried again. */
  isBusy: boolean
  onRetry: () => void
}

/** Why a download failed, and the one thing to do about it. */
export function FailureReason({ job, message, isBusy, onRetry }: FailureReasonProps) {
  const { text, remedy } = helpFor(job)
  return (
    <>
      <p className="job-reason">
        {message} <span>{text}</span>
      </p>
      <RemedyButton {...{ remedy, isBusy, onRetry }} variant="default" size="compact-sm" className="job-help" />
    </>
  )
}
