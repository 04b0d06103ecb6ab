import { setTimeout as pause } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { ListRefused } from './fetch-list.ts'
import type { ListUpdate, UpdateReport } from './schema.ts'
import type { UpdateOutcome } from './update-list.ts'
import type { ListRow, Tables } from '../tables.ts'
import { newestUpdate } from './store.ts'

/** Number of lists fetched at a time: each may take 25 MiB of memory, and a thread. */
const maxWorkers = 2

/** Dependencies of `Updates`. */
export interface UpdatesDependencies {
  readonly clock: Clock
  readonly log: Log
  readonly update: (id: string, signal: AbortSignal) => Promise<UpdateOutcome>
  /** Puts changed lists in force. */
  readonly publish: () => Promise<void>
  /** Called at each step. */
  readonly onProgress: (report: UpdateReport) => void
}

/** Updates of lists, one run at a time. */
export class Updates {
  readonly #dependencies: UpdatesDependencies
  readonly #stop = new AbortController()
  #startedAt = 0
  #items = new Map<string, ListUpdate>()
  #waiting: string[] = []
  #running: Promise<void> | undefined
  readonly #workers = new Set<Promise<void>>()
  /** A text changed since the last publication. */
  #isChanged = false

  constructor(dependencies: UpdatesDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Begins a run with these lists, or adds them to the one that is running. A list that had its turn in this run has none again,
   * unless `again` says that it is another one now.
   */
  start(
    lists: readonly { readonly id: string; readonly name: string; readonly entries: number }[],
    again = false,
  ): void {
    if (this.#stop.signal.aborted) return
    if (this.#running === undefined) {
      this.#startedAt = this.#dependencies.clock.now()
      this.#items = new Map()
    }
    for (const { id, name, entries } of lists) {
      const item = this.#items.get(id)
      if (item?.status === 'waiting' || (item !== undefined && !again)) continue
      this.#items.set(id, { id, name, entries, status: 'waiting', added: 0, removed: 0, duration_ms: 0, error: null })
      this.#waiting.push(id)
    }
    if (this.#running === undefined) this.#begin()
    this.#wake()
    this.#notify()
  }

  #begin(): void {
    this.#running = this.#run().finally(() => {
      this.#running = undefined
      // Something was added just before the end.
      if (this.#hasWork()) this.#begin()
      else this.#notify()
    })
  }

  #hasWork(): boolean {
    return this.#waiting.length > 0 || this.#workers.size > 0 || this.#isChanged
  }

  /** Reports on the last run; undefined when there was none. Waits so long for its end. */
  async report(waitMs: number): Promise<UpdateReport | undefined> {
    const done = new AbortController()
    const waited = pause(waitMs, undefined, { signal: done.signal, ref: false }).catch(() => undefined)
    await Promise.race([this.#running, waited])
    done.abort()
    return this.#startedAt === 0 ? undefined : this.#report()
  }

  /** Ends the run; what is not done yet stays as it was. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the service stops'))
    await this.#running
  }

  #report(): UpdateReport {
    return {
      started_at: new Date(this.#startedAt).toISOString(),
      status: this.#running === undefined ? 'done' : 'running',
      lists: [...this.#items.values()],
    }
  }

  #notify(): void {
    this.#dependencies.onProgress(this.#report())
  }

  /** Lists may be added until the very end, hence the outer loop. */
  async #run(): Promise<void> {
    const { log, publish } = this.#dependencies
    // The caller learns of the run before its first step.
    await Promise.resolve()
    while (this.#hasWork()) {
      this.#wake()
      while (this.#workers.size > 0) await Promise.race(this.#workers)
      if (!this.#isChanged) continue
      this.#isChanged = false
      await publish().catch((error: unknown) => log.error({ err: error }, 'the lists could not be put in force'))
    }
  }

  /** Starts workers for what waits, up to the maximum. */
  #wake(): void {
    for (let free = maxWorkers - this.#workers.size; free > 0 && this.#waiting.length > 0; free--) {
      const worker = this.#drain().finally(() => this.#workers.delete(worker))
      this.#workers.add(worker)
    }
  }

  /** Updates lists of the queue until there is none. */
  async #drain(): Promise<void> {
    for (let id = this.#waiting.shift(); id !== undefined; id = this.#waiting.shift()) {
      const begun = this.#dependencies.clock.monotonic()
      this.#change(id, { status: 'running' })
      const outcome = await this.#updateOne(id)
      this.#isChanged ||= outcome.status === 'updated'
      const duration_ms = Math.round(this.#dependencies.clock.monotonic() - begun)
      this.#change(id, { ...outcome, duration_ms })
    }
  }

  async #updateOne(id: string): Promise<Partial<ListUpdate>> {
    const { signal } = this.#stop
    try {
      return await this.#dependencies.update(id, signal)
    } catch (error) {
      if (signal.aborted) return { status: 'failed', error: 'the service stops' }
      if (error instanceof ListRefused) return { status: 'failed', error: error.message }
      this.#dependencies.log.error({ err: error, list: id }, 'a list could not be updated')
      return { status: 'failed', error: 'something went wrong here; the log says more' }
    }
  }

  #change(id: string, changes: Partial<ListUpdate>): void {
    const item = this.#items.get(id)
    if (item === undefined) return
    // It was started again while it ran, and waits already.
    if (item.status === 'waiting' && changes.status !== 'running') return
    this.#items.set(id, { ...item, ...changes })
    this.#notify()
  }
}

const hour = 3_600_000

/** Schedule of list updates. */
export interface UpdateSchedule {
  /** Hours from one update to the next; 0 for never. */
  readonly hours: number
  /** An administrator chose it: lists that were never fetched are due, too. */
  readonly isChosen: boolean
}

/** Factor from 0.9 to 1.1, so that not all installations fetch at the same minute; the same until the next update. */
function jitter({ id, last_checked }: Pick<ListRow, 'id' | 'last_checked'>): number {
  const drawn = createHash('sha256')
    .update(`${id} ${last_checked ?? 0}`)
    .digest()
    .readUInt32BE()
  return 0.9 + 0.2 * (drawn / 2 ** 32)
}

/**
 * Returns when a list is to be fetched next, milliseconds since the epoch; undefined for never. A list that says it is good for a
 * shorter time is fetched sooner, but not twice within an hour; one that failed within the hour, too. One that was checked in the
 * future, by a clock that was ahead, is due.
 */
export function dueAt(
  list: Pick<ListRow, 'id' | 'enabled' | 'last_checked' | 'last_error' | 'expires_seconds'>,
  schedule: UpdateSchedule,
  now: number,
): number | undefined {
  if (list.enabled === 0 || schedule.hours <= 0) return undefined
  if (list.last_checked === null) return schedule.isChosen ? 0 : undefined
  if (list.last_checked > now + hour) return now
  const usual = schedule.hours * hour
  const own = list.expires_seconds === null ? usual : Math.max(hour, list.expires_seconds * 1000)
  const pause = Math.min(usual, own, list.last_error === null ? Infinity : hour)
  return list.last_checked + Math.round(pause * jitter(list))
}

/**
 * Keeps the time when a list's text changed last in memory, because statistics show it; `readAgain` brings it up to date.
 * Milliseconds since the epoch, null when no list was ever fetched.
 */
export async function followNewestUpdate(db: Kysely<Tables>, log: Log) {
  let at = await newestUpdate(db)
  const readAgain = async () => {
    at = await newestUpdate(db)
  }
  return {
    at: () => at,
    readAgain: () => void readAgain().catch((error: unknown) => log.warn({ err: error }, 'lists could not be read')),
  }
}
