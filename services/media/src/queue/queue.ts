import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** A queued job and its attempt number. */
export interface Ticket {
  readonly id: string
  readonly attempt: number
}

/** A job that a worker has begun. */
export interface BegunJob {
  /** Never rejects; resolves when the job is settled or handed back. */
  readonly end: Promise<void>
}

/** A worker's side of the queue. */
export interface QueueWork {
  /** Claims a job and starts it; undefined when another process claimed it, it is gone, or the worker stops. */
  begin(ticket: Ticket): Promise<BegunJob | undefined>
}

/**
 * The queue of jobs. The rows of the job table are the queue itself: this only notifies workers of them, so a lost
 * message costs time and never a job.
 */
export interface Queue {
  /** Called in the transaction that queues a job. */
  enqueue(trx: Kysely<Tables>, ticket: Ticket): Promise<void>
  /** Called when that transaction is done. */
  wake(): void
  /**
   * Notifies workers again of queued jobs that none will be notified of: the message is gone, failed too often, or was taken by a worker
   * that did not claim the job for `patience` milliseconds, because it was killed in between. Jobs that their platform holds back
   * at the time `now` wait.
   */
  remind(db: Kysely<Tables>, options: { readonly patience: number; readonly now: number }): Promise<void>
  /** Starts to hand out jobs, at most `concurrency` at a time. */
  start(work: QueueWork, concurrency: number): Promise<void>
  /** Stops handing out jobs at once. The promise may wait for running jobs, so end those too. */
  close(): Promise<void>
}
