import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** A job in the line, and which handing out this is. */
export interface Ticket {
  readonly id: string
  readonly attempt: number
}

/** A job that a worker has begun. */
export interface BegunJob {
  /** Never rejects; resolves when the job is settled or handed back. */
  readonly end: Promise<void>
}

/** What a worker does with the head of the queue. */
export interface QueueWork {
  /** Makes a job this process's own and begins it; undefined when somebody else was faster, it is gone, or the worker stops. */
  begin(ticket: Ticket): Promise<BegunJob | undefined>
}

/**
 * The line jobs wait in. The rows of the job table are the line itself: a queue only tells workers about them, so a lost
 * message costs time and never a job.
 */
export interface Queue {
  /** Called in the transaction that puts a job in the line. */
  enqueue(trx: Kysely<Tables>, ticket: Ticket): Promise<void>
  /** Called when that transaction is done. */
  wake(): void
  /** Begins to hand out jobs, so many at a time. */
  start(work: QueueWork, concurrency: number): Promise<void>
  /** Hands out no more from the call on. The promise may wait for what is being worked on, so end that too. */
  close(): Promise<void>
}
