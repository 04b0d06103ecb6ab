import { LabelledCounts, type Sample } from '@hearth/metrics'
import type { Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { MediaBus, MediaEvent } from '../events.ts'
import { completedStatuses, isTerminal } from '../jobs/job-machine.ts'
import { findJob } from '../jobs/store.ts'
import type { JobRow, Tables } from '../tables.ts'
import { unfinishedJobs } from './store.ts'

interface EndedJobsDependencies {
  readonly db: Kysely<Tables>
  readonly bus: MediaBus
  readonly log: Log
  /** Called with each job that ended, in any process. */
  readonly onEnded: (job: JobRow) => void
}

/** Counts of the jobs that ended since the start of this process, in any process. */
export type EndedJobs = Awaited<ReturnType<typeof openEndedJobs>>

/** Opens the counts: they follow the events, which also tell of jobs that other processes worked on. */
export async function openEndedJobs({ db, bus, log, onEnded }: EndedJobsDependencies) {
  /** A job counts when it ends, not when something of it changes afterwards. */
  const unfinished = new Set<string>()
  const counts = new LabelledCounts()
  const lookups = new Set<Promise<void>>()

  function count(row: JobRow): void {
    const labels = endLabels(row)
    counts.add(Object.values(labels).join(' '), () => labels)
    onEnded(row)
  }

  async function lookUp(id: string): Promise<void> {
    try {
      const row = await findJob(db, id)
      if (row !== undefined && isTerminal(row.status)) count(row)
    } catch (error) {
      log.warn({ err: error, job: id }, 'a job that ended could not be counted')
    }
  }

  function follow(event: MediaEvent): void {
    if (!('id' in event)) {
      if (event.type === 'job_added' && event.job_id !== null) unfinished.add(event.job_id)
      if (event.type === 'job_removed' && event.job_id !== null) unfinished.delete(event.job_id)
      if (event.type === 'jobs_cleared') unfinished.clear()
    } else if (!isTerminal(event.status)) unfinished.add(event.id)
    else if (unfinished.delete(event.id)) {
      const lookup = lookUp(event.id).finally(() => lookups.delete(lookup))
      lookups.add(lookup)
    }
  }

  const close = bus.subscribe(follow)
  for (const id of await unfinishedJobs(db)) unfinished.add(id)
  return {
    close,
    /** The counts by platform, outcome and reason. */
    async read(): Promise<Sample[]> {
      await Promise.all(lookups)
      return counts.samples()
    },
  }
}

/** The labels of an end; `reason` is the stable code of a failure, and empty for other ends. */
function endLabels({ platform, status, error_code }: JobRow) {
  if (completedStatuses.includes(status)) return { platform, outcome: 'completed', reason: '' }
  if (status === 'error') return { platform, outcome: 'failed', reason: error_code ?? 'failed' }
  return { platform, outcome: 'cancelled', reason: '' }
}
