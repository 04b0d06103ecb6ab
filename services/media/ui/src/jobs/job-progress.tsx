import { formatDuration } from '@hearth/ui'
import { Bar } from '../progress/waiting.tsx'
import type { LiveJob } from './job.ts'
import { statusWords } from './job-labels.ts'
import './jobs.css'

/** Progress of a job: step, percent and remaining time, above a bar. */
export function JobProgress({ job }: { job: LiveJob }) {
  const { step } = statusWords[job.status]
  const isWaiting = job.status === 'queued'
  const left = remaining(job)
  return (
    <div className="job-progress">
      <p>
        <span>{job.message === null || job.message === '' || isWaiting ? step : job.message}</span>
        <span className="job-progress-figures">
          {job.progress !== undefined && <b>{job.progress} %</b>}
          {left !== undefined && <span> {left}</span>}
        </span>
      </p>
      {isWaiting ? (
        <Bar label={step} value={0} text={step} />
      ) : (
        <Bar
          label={step}
          value={job.progress}
          {...(left === undefined ? {} : { text: `${job.progress} %, ${left}` })}
        />
      )}
    </div>
  )
}

function remaining({ eta_seconds: eta }: LiveJob): string | undefined {
  if (eta === null || eta === undefined) return undefined
  return eta < 1 ? 'nearly there' : `${formatDuration(eta)} left`
}
