import type { Kysely } from 'kysely'
import type { Log, Timers } from '@hearth/runtime'
import type { JobRow, Tables } from '../database/tables.ts'
import type { MediaBus } from '../events/schema.ts'
import type { BegunJob, Queue, QueueWork, Ticket } from '../queue/queue.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { jobEvent } from './job-events.ts'
import { giveUpJob, handBackJob } from './return-job.ts'
import { advanceJob, findJob, findLost, renewLease, type Advance } from './store.ts'

/** A job that loses its worker this often in a row is given up: it may be what kills them. */
const mostInterruptions = 2

/** Does what a job asks for. Throws a `MediaFailure` for what is to be told, anything else for what is our fault. */
export type RunJob = (job: JobRow, hand: JobHand) => Promise<void>

/** Handle of a run on its job. */
export interface JobHand {
  readonly signal: AbortSignal
  /** Takes a step; throws when the job is no longer this worker's. */
  advance(step: Advance['step'], values?: Advance['values']): Promise<JobRow>
}

export interface WorkerParts {
  readonly db: Kysely<Tables>
  readonly queue: Queue
  readonly bus: MediaBus
  readonly timers: Timers
  readonly log: Log
  readonly run: RunJob
  /** Deletes what was stored for a job that came to nothing. */
  readonly discard: (id: string) => Promise<void>
  /** Time for which a worker counts as alive after its last sign of life, milliseconds; it renews it four times as often. */
  readonly lease: number
}

/** The workers of one process. */
export interface Workers {
  start(concurrency: number): Promise<void>
  /** Takes jobs from workers that are dead; with `all`, from every worker, because none but us can be alive. */
  recover(all?: boolean): Promise<void>
  /** Gives back what is under way and ends. */
  close(): Promise<void>
}

/** Thrown inside a run whose job was taken away. */
class NoLongerOurs extends Error {}

type Ending = 'cancelled' | 'stopping' | 'lost'

export function createWorkers(parts: WorkerParts): Workers {
  return new LocalWorkers(parts)
}

interface Running {
  /** The job as this worker last wrote it. */
  latest: JobRow
  readonly controller: AbortController
  readonly end: Promise<void>
}

class LocalWorkers implements Workers, QueueWork {
  readonly #parts: WorkerParts
  readonly #running = new Map<string, Running>()
  readonly #claims = new Set<Promise<unknown>>()
  readonly #unsubscribe: () => void
  #sweep: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(parts: WorkerParts) {
    this.#parts = parts
    this.#unsubscribe = parts.bus.subscribe((event) => {
      const hasGone =
        'id' in event ? event.status === 'cancelled' : event.type === 'job_removed' && event.job_id !== null
      const id = 'id' in event ? event.id : event.job_id
      if (hasGone && id !== null) this.#end(id, 'cancelled')
      if ('type' in event && event.type === 'jobs_cleared')
        for (const one of this.#running.keys()) this.#end(one, 'cancelled')
    })
  }

  async start(concurrency: number): Promise<void> {
    await this.#parts.queue.start(this, concurrency)
    this.#sweep = setInterval(() => {
      this.recover().catch((error: unknown) => this.#parts.log.warn({ err: error }, 'lost jobs cannot be looked for'))
    }, this.#parts.lease / 6).unref()
  }

  async recover(all = false): Promise<void> {
    const { db, timers } = this.#parts
    const now = timers.now()
    for (const job of await findLost(db, all ? Number.MAX_SAFE_INTEGER : now)) {
      if (this.#running.has(job.id)) continue
      if (job.interruptions + 1 < mostInterruptions) await handBackJob(this.#parts, job, job.interruptions + 1)
      else await giveUpJob(this.#parts, job)
    }
    this.#parts.queue.wake()
  }

  async begin(ticket: Ticket): Promise<BegunJob | undefined> {
    if (this.#isClosing) return undefined
    const claim = this.#claim(ticket)
    this.#claims.add(claim)
    try {
      return await claim
    } finally {
      this.#claims.delete(claim)
    }
  }

  async #claim({ id, attempt }: Ticket): Promise<BegunJob | undefined> {
    const { db, timers } = this.#parts
    const before = await findJob(db, id)
    const values = { lease_until: timers.now() + this.#parts.lease, message: 'Starting' }
    const job = await advanceJob(db, { id, attempt, step: 'claimed', values })
    if (job === undefined) return undefined
    this.#tell(before, job)
    if (!this.#isClosing) return { end: this.#work(job) }
    await handBackJob(this.#parts, job, job.interruptions)
    return undefined
  }

  async #work(job: JobRow): Promise<void> {
    const controller = new AbortController()
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const running: Running = { latest: job, controller, end }
    this.#running.set(job.id, running)
    const stopBeating = this.#beat(job, controller)
    try {
      await this.#settle(job, running)
    } catch (error) {
      this.#parts.log.error({ err: error, job: job.id }, 'a job could not be settled')
    } finally {
      stopBeating()
      this.#running.delete(job.id)
      resolve()
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#sweep)
    this.#unsubscribe()
    // First, so that the queue does not offer again what is handed back here.
    const queueEnd = this.#parts.queue.close()
    await Promise.allSettled(this.#claims)
    await Promise.all([...this.#running.values()].map((running) => this.#stop(running)))
    await queueEnd
  }

  /** Hands a job back before its tools have ended: a process that is killed meanwhile has lost nothing. */
  async #stop({ latest, controller, end }: Running): Promise<void> {
    controller.abort('stopping' satisfies Ending)
    await handBackJob(this.#parts, latest, 0).catch((error: unknown) =>
      this.#parts.log.error({ err: error, job: latest.id }, 'a job could not be handed back'),
    )
    await end
  }

  async #settle(job: JobRow, running: Running): Promise<void> {
    const { signal } = running.controller
    const hand: JobHand = {
      signal,
      advance: async (step, values) => {
        const next = await advanceJob(this.#parts.db, {
          id: job.id,
          attempt: job.attempt,
          step,
          ...(values === undefined ? {} : { values }),
        })
        if (next === undefined) throw new NoLongerOurs('the job is no longer this worker’s')
        this.#tell(running.latest, next)
        running.latest = next
        return next
      },
    }
    try {
      await this.#parts.run(job, hand)
    } catch (error) {
      await this.#conclude(running.latest, error, signal.aborted ? (signal.reason as Ending) : undefined)
      await this.#tidy(job)
    }
  }

  /** A file may have been stored in the last moment before the job was stopped, or failed. */
  async #tidy(job: JobRow): Promise<void> {
    const row = await findJob(this.#parts.db, job.id)
    const isInVain = row === undefined || row.status === 'cancelled' || row.status === 'error'
    // Another attempt may already be at work.
    if (isInVain && (row === undefined || row.attempt === job.attempt)) await this.#parts.discard(job.id)
  }

  async #conclude(job: JobRow, error: unknown, ending: Ending | undefined): Promise<void> {
    if (ending === 'stopping') await handBackJob(this.#parts, job, 0)
    if (ending !== undefined || error instanceof NoLongerOurs) return
    const isForeseen = error instanceof MediaFailure
    if (!isForeseen) this.#parts.log.error({ err: error, job: job.id }, 'a job failed for a reason of ours')
    else this.#parts.log.info({ job: job.id, code: error.code, err: error.cause }, 'a job failed')
    const values = {
      message: isForeseen ? error.message : 'Something went wrong on the server; its log says more',
      error_code: isForeseen ? error.code : 'failed',
      finished_at: this.#parts.timers.now(),
      lease_until: null,
    }
    const failed = await advanceJob(this.#parts.db, { id: job.id, attempt: job.attempt, step: 'failed', values })
    if (failed !== undefined) this.#tell(job, failed)
  }

  #beat(job: JobRow, controller: AbortController): () => void {
    const { db, timers } = this.#parts
    const timer = setInterval(() => {
      renewLease(db, { id: job.id, attempt: job.attempt, until: timers.now() + this.#parts.lease }).then(
        (isOurs) => {
          // After the end of a run nothing beats any more, so whoever has it now is somebody else.
          if (!isOurs && this.#running.get(job.id)?.controller === controller) controller.abort('lost')
          return undefined
        },
        (error: unknown) => this.#parts.log.warn({ err: error, job: job.id }, 'a sign of life was not written'),
      )
    }, this.#parts.lease / 4)
    return () => clearInterval(timer)
  }

  #end(id: string, ending: Ending): void {
    this.#running.get(id)?.controller.abort(ending)
  }

  #tell(before: JobRow | undefined, after: JobRow): void {
    this.#parts.bus.publish(jobEvent(before, after, this.#parts.timers.now()))
  }
}
