import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { blockReasonOf, maxRefusals } from '../pauses/pause-rules.ts'
import type { PlatformPauses } from '../pauses/platform-pauses.ts'
import { platformNames } from '../platforms/schema.ts'
import type { Queue } from '../queue/queue.ts'
import type { JobRow, Tables } from '../tables.ts'
import { advanceJob, type JobValues } from './store.ts'

const interrupted = 'Interrupted, waiting to go on'

/** An attempt that failed, and why. */
export interface FailedAttempt {
  readonly job: JobRow
  readonly code: string
  readonly message: string
}

/** Keeps what is known of a failure, for a report that can be downloaded. */
export interface FailureRecorder {
  /** Collects the facts. Returns what stores them, in the transaction that ends the attempt. */
  prepare(error: unknown): Promise<(trx: Kysely<Tables>, failed: FailedAttempt) => Promise<void>>
}

export interface SettleDependencies {
  readonly queue: Queue
  readonly pauses: PlatformPauses
  readonly timers: Clock
}

/**
 * Ends an attempt that failed. A job whose platform refuses this server goes back into the queue, unless it has been there too
 * often. Undefined when another attempt has the job.
 */
export async function settleFailure(
  trx: Kysely<Tables>,
  { queue, pauses, timers }: SettleDependencies,
  { job, code, message }: FailedAttempt,
): Promise<JobRow | undefined> {
  const reason = blockReasonOf(code)
  const wasProbe = reason !== undefined && (await pauses.refuse(trx, job, reason))
  if (reason === undefined || job.refusals >= maxRefusals) {
    const values = { message, error_code: code, finished_at: timers.now(), lease_until: null }
    return advanceJob(trx, { id: job.id, attempt: job.attempt, step: 'failed', values })
  }
  const waiting = `${platformNames[job.platform]} refuses this server for now; it is tried again by itself`
  // The next probe is another job: this one may be refused for what it is.
  const place = wasProbe ? { queued_at: timers.now() } : {}
  return putBack(queue, trx, { job, values: { refusals: job.refusals + 1, message: waiting, ...place } })
}

/**
 * Ends an attempt whose worker stops or is lost. A job without a file goes back into the queue; one whose sound is being analysed is
 * done, and the analysis is requested anew. Undefined when the job has ended or another attempt has it.
 */
export async function endInterrupted(
  { queue, timers }: Pick<SettleDependencies, 'queue' | 'timers'>,
  trx: Kysely<Tables>,
  { job, interruptions }: { readonly job: JobRow; readonly interruptions: number },
): Promise<JobRow | undefined> {
  const queued = await putBack(queue, trx, { job, values: { message: interrupted, interruptions } })
  if (queued !== undefined) return queued
  const request = { analysis_wanted_at: timers.now(), analysis_lease_until: null }
  const values = { ...request, message: 'Finished; its sound is analysed later', interruptions, lease_until: null }
  return advanceJob(trx, { id: job.id, attempt: job.attempt, step: 'analysis-postponed', values })
}

/** Puts a job back into the queue under a new attempt number. Undefined when it has ended or another attempt has it. */
async function putBack(
  queue: Queue,
  trx: Kysely<Tables>,
  { job, values }: { readonly job: JobRow; readonly values: JobValues },
): Promise<JobRow | undefined> {
  const attempt = job.attempt + 1
  const step = { id: job.id, attempt: job.attempt, step: 'handed-back' } as const
  const queued = await advanceJob(trx, { ...step, values: { ...values, attempt, lease_until: null } })
  if (queued !== undefined) await queue.enqueue(trx, { id: job.id, attempt })
  return queued
}
