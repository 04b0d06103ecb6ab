import { SettledClock, type Log, type Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { dayMs, dayOf, PendingResults, splitBatch } from './pending-results.ts'
import { deleteExcessIncidents, deleteOld, deleteSubjects, writeResults } from './store.ts'
import type { UptimeTables } from './tables.ts'

export interface ResultWriterDependencies {
  readonly db: Kysely<UptimeTables>
  readonly timers: Timers
  readonly log: Log
}

/** Interval at which results are written, milliseconds: what a crash can lose is not observed. */
const writeMs = 60_000
/** Time after which a change of a state is written, milliseconds. */
const hurryMs = 1000
/** Subjects whose rows are written in one transaction. */
const subjectsAtOnce = 500
/** Interval at which old rows are deleted, milliseconds. */
const cleanMs = 3_600_000

/** Time for which rows are kept. */
export const kept = { days: 400, pointMs: 48 * 3_600_000, incidentDays: 400, incidents: 200 } as const

/** Writes results together, once a minute, and deletes old ones. */
export class ResultWriter {
  readonly pending = new PendingResults()
  readonly #dependencies: ResultWriterDependencies
  #writing: Promise<void> = Promise.resolve()
  #cancel: () => void = () => undefined
  #cancelHurry: (() => void) | undefined
  readonly #settled: SettledClock
  #cleanedAt = -Infinity
  #isClosed = false

  constructor(dependencies: ResultWriterDependencies) {
    this.#dependencies = dependencies
    this.#settled = new SettledClock(dependencies.timers)
  }

  start(): void {
    this.#cancel = this.#dependencies.timers.after(writeMs, () => {
      const round = this.flush().then(() => this.#clean())
      void round
        .catch((error: unknown) => this.#dependencies.log.warn({ err: error }, 'old checks could not be deleted'))
        .finally(() => {
          if (!this.#isClosed) this.start()
        })
    })
  }

  /** Writes soon, because a state has changed. */
  hurry(): void {
    if (this.#isClosed) return
    this.#cancelHurry ??= this.#dependencies.timers.after(hurryMs, () => {
      this.#cancelHurry = undefined
      void this.flush()
    })
  }

  /** Writes what waits. Results that cannot be written are kept for the next time. */
  flush(): Promise<void> {
    const last = this.#writing
    this.#writing = (async () => {
      await last
      await this.#write()
    })()
    return this.#writing
  }

  /** Deletes everything about subjects, now and from what waits. */
  async forget(subjects: readonly string[]): Promise<void> {
    if (subjects.length === 0) return
    await this.flush()
    await deleteSubjects(this.#dependencies.db, subjects)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#cancelHurry?.()
    await this.flush()
  }

  async #write(): Promise<void> {
    const { db, log } = this.#dependencies
    const batch = this.pending.take()
    if (batch === undefined) return
    // The rows of a subject go together, and others that use the database come in between.
    const parts = splitBatch(batch, subjectsAtOnce)
    for (const [index, part] of parts.entries())
      try {
        await writeResults(db, part)
      } catch (error) {
        for (const left of parts.slice(index)) this.pending.giveBack(left)
        log.warn({ err: error }, 'results of checks could not be written; it is tried again')
        return
      }
  }

  async #clean(): Promise<void> {
    const { db, timers } = this.#dependencies
    const monotonic = timers.monotonic()
    // With a wrong clock everything looks old.
    if (!this.#settled.isSettled() || monotonic - this.#cleanedAt < cleanMs) return
    this.#cleanedAt = monotonic
    const now = timers.now()
    await deleteOld(db, {
      day: dayOf(now) - kept.days,
      point: now - kept.pointMs,
      incident: now - kept.incidentDays * dayMs,
    })
    await deleteExcessIncidents(db, kept.incidents)
  }
}
