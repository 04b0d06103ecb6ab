import type { Timers } from '@hearth/runtime'

export interface BatchDependencies<Item, Result> {
  readonly timers: Timers
  /** Time to wait for more requests after each one, milliseconds. */
  readonly quietMs: number
  /** Longest wait of the first request of a batch, milliseconds. */
  readonly maxMs: number
  /** Called while the first request of a batch waits, and nothing runs. The run waits for its end; a failure counts for nothing. */
  prepare?(): Promise<void>
  /** Serves them; never runs twice at a time. */
  run(items: readonly Item[]): Promise<Result>
}

/** Error of requests after `close`. */
export class BatchesClosed extends Error {
  override readonly name = 'BatchesClosed'
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** Collects requests that come close together and serves them by one run. */
export class Batches<Item, Result> {
  readonly #dependencies: BatchDependencies<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #firstAt = 0
  #cancel: () => void = () => undefined
  /** The pending answer keeps the process alive; the timers do not. */
  #alive: NodeJS.Timeout | undefined
  #preparing: Promise<void> | undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(dependencies: BatchDependencies<Item, Result>) {
    this.#dependencies = dependencies
  }

  /**
   * Resolves with the result of the run that served the item; rejects with its error. An urgent one waits for no others, and
   * takes those that wait along.
   */
  request(item: Item, isUrgent = false): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new BatchesClosed('the service is shutting down'))
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const now = this.#dependencies.timers.monotonic()
    if (this.#waiting.length === 0) this.#firstAt = now
    this.#waiting.push({ item, resolve, reject })
    this.#alive ??= setInterval(() => undefined, 60_000)
    const left = Math.max(0, this.#firstAt + this.#dependencies.maxMs - now)
    this.#cancel()
    if (isUrgent) {
      this.#begin()
      return promise
    }
    if (this.#running === undefined) this.#preparing ??= this.#dependencies.prepare?.().catch(() => undefined)
    this.#cancel = this.#dependencies.timers.after(Math.min(this.#dependencies.quietMs, left), () => this.#begin())
    return promise
  }

  /** Serves what is waiting at once, and lets nothing more come. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#begin()
    while (this.#running !== undefined) await this.#running
  }

  #begin(): void {
    // Those that come during a run are served by the next one.
    if (this.#running !== undefined || this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    clearInterval(this.#alive)
    this.#alive = undefined
    this.#running = this.#serve(batch).finally(() => {
      this.#running = undefined
      this.#begin()
    })
  }

  async #serve(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      await this.#preparing
      this.#preparing = undefined
      const result = await this.#dependencies.run(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve(result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
