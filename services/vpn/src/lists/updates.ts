import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Log } from '@hearth/runtime'
import { ListRefused } from './fetch-list.ts'
import type { ListUpdate, UpdateReport } from './schema.ts'
import type { UpdateOutcome } from './update-list.ts'

/** Number of lists fetched at a time: each may take 25 MiB of memory, and a thread. */
const lanes = 2

/** Dependencies of `Updates`. */
export interface RunParts {
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
  readonly #parts: RunParts
  readonly #stop = new AbortController()
  #startedAt = 0
  #items = new Map<string, ListUpdate>()
  #waiting: string[] = []
  #running: Promise<void> | undefined
  readonly #lanes = new Set<Promise<void>>()
  /** A text changed since the last publication. */
  #isChanged = false

  constructor(parts: RunParts) {
    this.#parts = parts
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
      this.#startedAt = this.#parts.clock.now()
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
    this.#tell()
  }

  #begin(): void {
    this.#running = this.#run().finally(() => {
      this.#running = undefined
      // Something was added in the last moment.
      if (this.#hasWork()) this.#begin()
      else this.#tell()
    })
  }

  #hasWork(): boolean {
    return this.#waiting.length > 0 || this.#lanes.size > 0 || this.#isChanged
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

  #tell(): void {
    this.#parts.onProgress(this.#report())
  }

  /** Lists may be added until the very end, hence the outer loop. */
  async #run(): Promise<void> {
    const { log, publish } = this.#parts
    // The caller learns of the run before its first step.
    await Promise.resolve()
    while (this.#hasWork()) {
      this.#wake()
      while (this.#lanes.size > 0) await Promise.race(this.#lanes)
      if (!this.#isChanged) continue
      this.#isChanged = false
      await publish().catch((error: unknown) => log.error({ err: error }, 'the lists could not be put in force'))
    }
  }

  /** Opens lanes for what waits, as far as there are any. */
  #wake(): void {
    for (let free = lanes - this.#lanes.size; free > 0 && this.#waiting.length > 0; free--) {
      const lane = this.#drain().finally(() => this.#lanes.delete(lane))
      this.#lanes.add(lane)
    }
  }

  /** Takes lists from the line until there is none. */
  async #drain(): Promise<void> {
    for (let id = this.#waiting.shift(); id !== undefined; id = this.#waiting.shift()) {
      const begun = this.#parts.clock.monotonic()
      this.#change(id, { status: 'running' })
      const outcome = await this.#updateOne(id)
      this.#isChanged ||= outcome.status === 'updated'
      const duration_ms = Math.round(this.#parts.clock.monotonic() - begun)
      this.#change(id, { ...outcome, duration_ms })
    }
  }

  async #updateOne(id: string): Promise<Partial<ListUpdate>> {
    const { signal } = this.#stop
    try {
      return await this.#parts.update(id, signal)
    } catch (error) {
      if (signal.aborted) return { status: 'failed', error: 'the service stops' }
      if (error instanceof ListRefused) return { status: 'failed', error: error.message }
      this.#parts.log.error({ err: error, list: id }, 'a list could not be updated')
      return { status: 'failed', error: 'something went wrong here; the log says more' }
    }
  }

  #change(id: string, changes: Partial<ListUpdate>): void {
    const item = this.#items.get(id)
    if (item === undefined) return
    // Asked for again while it ran: that stands in the line already.
    if (item.status === 'waiting' && changes.status !== 'running') return
    this.#items.set(id, { ...item, ...changes })
    this.#tell()
  }
}
