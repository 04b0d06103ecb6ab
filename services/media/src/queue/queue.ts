import type { Kysely } from 'kysely'
import type { JobRow, Tables } from '../database/tables.ts'

/** A job in the line, and which handing out this is. */
export interface Ticket {
  readonly id: string
  readonly attempt: number
}

/** What a worker does with the head of the line. */
export interface QueueWork {
  /** Makes a job this process's own; undefined when somebody else was faster, or it is gone. */
  claim(ticket: Ticket): Promise<JobRow | undefined>
  /** Never throws; ends when the job is settled or given back. */
  work(job: JobRow): Promise<void>
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
  /** Hands out no more; what is being worked on is not waited for. */
  close(): Promise<void>
}
