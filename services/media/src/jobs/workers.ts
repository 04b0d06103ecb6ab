import type { Kysely } from 'kysely'
import type { Log, Timers } from '@hearth/runtime'
import type { JobRow, Tables } from '../tables.ts'
import type { MediaBus } from '../events.ts'
import { blockReasonOf, showsAdmission } from '../pauses/pause-rules.ts'
import type { PlatformPauses } from '../pauses/platform-pauses.ts'
import type { BegunJob, Queue, QueueWork, Ticket } from '../queue/queue.ts'
import { MediaFailure, orFullDisk } from '../tools/media-failure.ts'
import { endInterrupted, settleFailure, type FailureRecorder } from './failed-attempt.ts'
import { endsJob, jobEvent } from './job-events.ts'
import { advanceJob, findJob, findLost, renewLease, type Advance, type JobValues } from './store.ts'

/** Number of consecutive lost workers after which a job fails, because it may crash them. */
export const maxInterruptions = 2

/** Runs a job. Throws a `MediaFailure` for a failure to report, anything else for a bug. */
export type RunJob = (job: JobRow, handle: JobHandle) => Promise<void>

/** Handle of a run on its job. */
export interface JobHandle {
  readonly signal: AbortSignal
  /** Takes a step; throws when the job belongs to another attempt. */
  advance(step: Advance['step'], values?: Advance['values']): Promise<JobRow>
  /** Notes that the platform hands the media out. */
  admitted(): void
}

export interface WorkerDependencies {
  readonly db: Kysely<Tables>
  readonly queue: Queue
  readonly bus: MediaBus
  readonly timers: Timers
  readonly log: Log
  readonly run: RunJob
  readonly pauses: PlatformPauses
  readonly failures: FailureRecorder
  /** Deletes the stored files of a job that failed. */
  readonly discard: (id: string) => Promise<void>
  /** Length of a lease, milliseconds; the worker renews it four times as often. */
  readonly lease: number
}

/** Thrown inside a run whose job was taken away. */
class NoLongerOurs extends Error {}

type Ending = 'cancelled' | 'stopping' | 'lost'

interface Running {
  /** The job as this worker last wrote it. */
  latest: JobRow
  /** It is tried alone, and its platform has not answered yet. */
  isProbe: boolean
  readonly controller: AbortController
  readonly end: Promise<void>
}

/** The workers of one process; they take no job before `start`. */
export class Workers implements QueueWork {
  readonly #dependencies: WorkerDependencies
  readonly #running = new Map<string, Running>()
  readonly #claims = new Set<Promise<unknown>>()
  readonly #unsubscribe: () => void
  #sweep: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(dependencies: WorkerDependencies) {
    this.#dependencies = dependencies
    this.#unsubscribe = dependencies.bus.subscribe((event) => {
      for (const [id, { controller }] of this.#running)
        if (endsJob(event, id)) controller.abort('cancelled' satisfies Ending)
    })
  }

  async start(concurrency: number): Promise<void> {
    await this.#dependencies.queue.start(this, concurrency)
    this.#sweep = setInterval(() => {
      this.recover().catch((error: unknown) =>
        this.#dependencies.log.warn({ err: error }, 'lost jobs cannot be looked for'),
      )
    }, this.#dependencies.lease / 6).unref()
  }

  /** Recovers jobs whose lease has expired; with `all` every active job, when no other process can be running. */
  async recover(all = false): Promise<void> {
    const { db, timers } = this.#dependencies
    const now = timers.now()
    for (const job of await findLost(db, all ? Number.MAX_SAFE_INTEGER : now)) {
      if (this.#running.has(job.id)) continue
      if (job.interruptions + 1 < maxInterruptions) await this.#handBack(job, job.interruptions + 1)
      else await this.#giveUp(job)
    }
    await this.#dependencies.queue.remind(db, { patience: this.#dependencies.lease, now })
    this.#dependencies.queue.wake()
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
    const { db, timers, pauses } = this.#dependencies
    const before = await findJob(db, id)
    if (before === undefined) return undefined
    const values = { lease_until: timers.now() + this.#dependencies.lease, message: 'Starting' }
    const claimed = await db.transaction().execute(async (trx) => {
      const admission = await pauses.admit(trx, { ...before, attempt })
      const job = admission === 'held' ? undefined : await advanceJob(trx, { id, attempt, step: 'claimed', values })
      return job && { job, isProbe: admission === 'probe' }
    })
    if (claimed === undefined) return undefined
    const { job, isProbe } = claimed
    this.#publish(before, job)
    if (isProbe) pauses.changed({ isOpened: false })
    if (!this.#isClosing) return { end: this.#work(job, isProbe) }
    await this.#handBack(job, job.interruptions)
    return undefined
  }

  async #work(job: JobRow, isProbe: boolean): Promise<void> {
    const controller = new AbortController()
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const running: Running = { latest: job, isProbe, controller, end }
    this.#running.set(job.id, running)
    const stopBeating = this.#beat(job, controller)
    try {
      await this.#dependencies.run(job, this.#handleOf(job, running))
      // It needed nothing of the platform.
      if (running.isProbe) this.#dependencies.pauses.changed({ isOpened: true })
    } catch (error) {
      await this.#fail(job, running, error).catch((failure: unknown) =>
        this.#dependencies.log.error({ err: failure, job: job.id }, 'a job could not be settled'),
      )
    } finally {
      stopBeating()
      this.#running.delete(job.id)
      resolve()
    }
  }

  /** Hands running jobs back and stops. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#sweep)
    this.#unsubscribe()
    // First, so that the queue does not offer again what is handed back here.
    const queueEnd = this.#dependencies.queue.close()
    await Promise.allSettled(this.#claims)
    await Promise.all([...this.#running.values()].map((running) => this.#stop(running)))
    await queueEnd
  }

  /** Hands a job back before its tools have ended: so nothing is lost when the process is killed meanwhile. */
  async #stop({ latest, controller, end }: Running): Promise<void> {
    controller.abort('stopping' satisfies Ending)
    await this.#handBack(latest, 0).catch((error: unknown) =>
      this.#dependencies.log.error({ err: error, job: latest.id }, 'a job could not be handed back'),
    )
    await end
  }

  #handleOf(job: JobRow, running: Running): JobHandle {
    return {
      signal: running.controller.signal,
      advance: async (step, values = {}) => {
        const next = await this.#advance(job, step, values)
        if (next === undefined) throw new NoLongerOurs('the job is no longer this worker’s')
        this.#publish(running.latest, next)
        running.latest = next
        return next
      },
      admitted: () => {
        if (running.isProbe) void this.#noteAdmission(running)
      },
    }
  }

  async #noteAdmission(running: Running): Promise<void> {
    running.isProbe = false
    await this.#dependencies.pauses
      .admitted(running.latest)
      .catch((error: unknown) => this.#dependencies.log.warn({ err: error }, 'the end of a pause was not written'))
  }

  async #fail(job: JobRow, running: Running, error: unknown): Promise<void> {
    const { signal } = running.controller
    await this.#conclude(running, error, signal.aborted ? (signal.reason as Ending) : undefined)
    await this.#tidy(job)
    // A probe that ended without an answer of the platform makes room for the next one.
    if (running.isProbe) this.#dependencies.pauses.changed({ isOpened: true })
  }

  /** Deletes a file that was stored just before the job was stopped or failed. */
  async #tidy(job: JobRow): Promise<void> {
    const row = await findJob(this.#dependencies.db, job.id)
    const isInVain = row === undefined || row.status === 'cancelled' || row.status === 'error'
    // Another attempt may already be at work.
    if (isInVain && (row === undefined || row.attempt === job.attempt)) await this.#dependencies.discard(job.id)
  }

  async #conclude(running: Running, thrown: unknown, ending: Ending | undefined): Promise<void> {
    const { latest: job } = running
    if (ending === 'stopping') await this.#handBack(job, 0)
    if (ending !== undefined || thrown instanceof NoLongerOurs) return
    const error = orFullDisk(thrown)
    const isForeseen = error instanceof MediaFailure
    if (!isForeseen) this.#dependencies.log.error({ err: error, job: job.id }, 'a job failed for a reason of ours')
    else this.#dependencies.log.info({ job: job.id, code: error.code, err: error.cause }, 'a job failed')
    const code = isForeseen ? error.code : 'failed'
    const message = isForeseen ? error.message : 'Something went wrong on the server; its log says more'
    if (running.isProbe && showsAdmission(code)) await this.#noteAdmission(running)
    const record = await this.#dependencies.failures.prepare(error)
    const after = await this.#dependencies.db.transaction().execute(async (trx) => {
      const row = await settleFailure(trx, this.#dependencies, { job, code, message })
      if (row !== undefined) await record(trx, { job, code, message })
      return row
    })
    if (blockReasonOf(code) !== undefined) {
      running.isProbe = false
      this.#dependencies.pauses.changed({ isOpened: false })
    }
    if (after !== undefined) this.#publish(job, after)
  }

  /**
   * Puts a job back into the queue, at its old place, under a new attempt number that the old worker does not have, or ends it when
   * it has its file. Does nothing when the job has ended or another attempt has it.
   */
  async #handBack(job: JobRow, interruptions: number): Promise<void> {
    const row = await this.#dependencies.db
      .transaction()
      .execute((trx) => endInterrupted(this.#dependencies, trx, { job, interruptions }))
    if (row !== undefined) this.#publish(job, row)
  }

  /** Ends a job that lost its workers too often. A job that is only being analysed is finished: its file is good. */
  async #giveUp(job: JobRow): Promise<void> {
    const { timers, discard } = this.#dependencies
    const shared = { lease_until: null, finished_at: job.finished_at ?? timers.now() }
    const isDone = job.status === 'analysis'
    const values = isDone
      ? { ...shared, message: 'Finished; the analysis failed' }
      : { ...shared, message: 'The application was restarted', error_code: 'interrupted' }
    const row = await this.#advance(job, isDone ? 'finished' : 'lost', values)
    if (row === undefined) return
    if (!isDone) await discard(job.id)
    this.#publish(job, row)
  }

  #advance({ id, attempt }: JobRow, step: Advance['step'], values: JobValues): Promise<JobRow | undefined> {
    return advanceJob(this.#dependencies.db, { id, attempt, step, values })
  }

  #beat(job: JobRow, controller: AbortController): () => void {
    const { db, timers } = this.#dependencies
    const timer = setInterval(() => {
      renewLease(db, { id: job.id, attempt: job.attempt, until: timers.now() + this.#dependencies.lease }).then(
        (isOurs) => {
          // The renewal ends with its run, so the job belongs to another worker now.
          if (!isOurs && this.#running.get(job.id)?.controller === controller) controller.abort('lost')
          return undefined
        },
        (error: unknown) => this.#dependencies.log.warn({ err: error, job: job.id }, 'a sign of life was not written'),
      )
    }, this.#dependencies.lease / 4)
    return () => clearInterval(timer)
  }

  #publish(before: JobRow | undefined, after: JobRow): void {
    this.#dependencies.bus.publish(jobEvent(before, after, this.#dependencies.timers.now()))
  }
}
