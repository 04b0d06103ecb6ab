import type { Database } from '@hearth/database'
import type { Log } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import { findDerived } from '../delivery/derived-file.ts'
import type { MediaBus } from '../events/schema.ts'
import { notFound } from '../problems.ts'
import { isResumable } from './separation.ts'
import { SeparationPaused } from './separation-record.ts'
import { runSplit, type RunSplitParts } from './run-split.ts'
import { takeLease, type SplitLease } from './split-lease.ts'
import { createSplitProgress, type SplitProgress } from './split-progress.ts'
import { accountMark, noRecord, readSplitRecord, recordAfter } from './split-record.ts'
import { bothStems, stemArtifact } from './stem-names.ts'
import { JobGone, separationProblem } from './stem-problem.ts'
import { StemServiceError } from './stem-service-error.ts'
import { findSplit } from './store.ts'
import type { WantedPart } from './wanted-part.ts'

/** Dependencies of `Separations`. */
export interface SeparationParts extends RunSplitParts {
  readonly database: Database<Tables>
  readonly bus: MediaBus
  readonly log: Log
}

/** Splits at a time, of all jobs and processes. */
const mostTogether = 2

interface Running {
  readonly jobId: string
  readonly controller: AbortController
  readonly end: Promise<void>
}

/** Splits that are under way in this process. */
export class Separations {
  readonly #parts: SeparationParts
  readonly #running = new Set<Running>()
  readonly #unsubscribe: () => void
  #isClosing = false

  constructor(parts: SeparationParts) {
    this.#parts = parts
    this.#unsubscribe = parts.bus.subscribe((event) => {
      const id = 'id' in event ? event.id : event.job_id
      const isGone = 'id' in event ? event.status === 'cancelled' : event.type === 'job_removed'
      const isAll = 'type' in event && event.type === 'jobs_cleared'
      for (const { jobId, controller } of this.#running)
        if (isAll || (isGone && jobId === id)) controller.abort(new JobGone('the job is gone'))
    })
  }

  /** Resolves to true if both stems of a part are there. */
  async isDone({ job, variant }: WantedPart): Promise<boolean> {
    const { artifacts, database } = this.#parts
    const row = await findSplit(database.query, { jobId: job.id, variant })
    if (row?.status !== 'done') return false
    const found = await Promise.all(bothStems.map((stem) => findDerived(artifacts, job, stemArtifact(variant, stem))))
    return found.every((facts) => facts !== undefined)
  }

  /** Makes the stems, or goes on with making them. Throws problems in the words of the API. */
  async run(part: WantedPart, key: string): Promise<void> {
    if (this.#isClosing) throw separationProblem(new SeparationPaused('the service is being stopped'))
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const running: Running = { jobId: part.job.id, controller: new AbortController(), end }
    this.#running.add(running)
    try {
      await this.#begin(part, key, running.controller)
    } finally {
      this.#running.delete(running)
      resolve()
    }
  }

  /** Stops what is under way, so that it can be gone on with. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#unsubscribe()
    const reason = new SeparationPaused('the service is being stopped')
    for (const { controller } of this.#running) controller.abort(reason)
    await Promise.all([...this.#running].map(({ end }) => end))
  }

  async #begin(part: WantedPart, key: string, controller: AbortController): Promise<void> {
    const { artifacts, bus, timers } = this.#parts
    const { job, variant, durationMs } = part
    const source = await artifacts.stat(job.id, job.artifact ?? '')
    if (source === undefined) throw notFound('file')
    const origin = { source: source.tag, account: accountMark(key) }
    const claim = { jobId: job.id, variant, durationMs, most: mostTogether }
    const lease = await takeLease(
      this.#parts,
      { ...claim, recordAfter: (previous) => recordAfter(previous, origin) },
      (reason) => controller.abort(reason),
    )
    const progress = createSplitProgress(bus, job.id, () => timers.monotonic())
    try {
      const separation = readSplitRecord(lease.row, origin)
      if (separation === undefined) throw new Error('a split was claimed without its record')
      await runSplit(this.#parts, { part, key, origin, separation, lease, progress, signal: controller.signal })
      await lease.giveBack('done')
      progress.done()
    } catch (error) {
      await this.#conclude(part, { error, lease, progress })
    }
  }

  async #conclude(
    { job, variant }: WantedPart,
    { error, lease, progress }: { error: unknown; lease: SplitLease; progress: SplitProgress },
  ): Promise<void> {
    if (error instanceof SeparationPaused) await lease.giveBack('running')
    else if (!(error instanceof JobGone) && isResumable(error)) await lease.giveBack('failed')
    else await lease.giveBack('failed', noRecord)
    // What was stopped after both stems were kept is done.
    if (lease.isFinished) return progress.done()
    const problem = separationProblem(error)
    const { code, detail, requestId } = error instanceof StemServiceError ? error : {}
    this.#parts.log.warn({ err: error, job: job.id, variant, code, detail, requestId }, 'a sound was not separated')
    progress.failed(problem instanceof Error ? problem.message : 'The stems could not be made')
    throw problem
  }
}
