import { createKeyedQueue, type Timers } from '@hearth/runtime'
import { Problem } from '../problems.ts'

/** Maximum number of requests that wait for a device; ends of operations do not count. */
const waitingLimit = 8

/** The work on one device, one piece after the other, and timed work in between. */
export class DeviceQueue {
  readonly #queue = createKeyedQueue(1000)
  readonly #timers: Timers
  /** Returns when the timed work is due next; monotonic milliseconds, undefined for never. Called after every piece of work. */
  readonly #due: () => number | undefined
  readonly #timed: () => Promise<void>
  #waiting = 0
  #isClosed = false
  #cancel: () => void = () => undefined

  constructor(timers: Timers, timed: { due: () => number | undefined; run: () => Promise<void> }) {
    this.#timers = timers
    this.#due = timed.due
    this.#timed = timed.run
  }

  /** Throws `queue_full` for normal work when much is waiting already; urgent work always waits. */
  async run<T>(priority: 'normal' | 'urgent', work: () => Promise<T>): Promise<T> {
    if (priority === 'normal' && this.#waiting >= waitingLimit)
      throw new Problem('queue_full', 'Too many requests are waiting for the device', { retryAfterSeconds: 5 })
    this.#waiting += 1
    try {
      return await this.#queue.run('', work)
    } finally {
      this.#waiting -= 1
      this.#schedule()
    }
  }

  /** Ends the timed work and waits for what is waiting. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#queue.idle()
  }

  #schedule(): void {
    this.#cancel()
    const due = this.#isClosed ? undefined : this.#due()
    if (due === undefined) return
    const wait = Math.max(0, due - this.#timers.monotonic())
    this.#cancel = this.#timers.after(wait, () => {
      // Only a full queue rejects; the next piece that ends schedules again.
      this.run('urgent', () => this.#runIfDue()).catch(() => undefined)
    })
  }

  /** Runs the timed work if it is still due: an attempt that failed just now is not repeated before its pause. */
  async #runIfDue(): Promise<void> {
    const due = this.#due()
    if (due !== undefined && due <= this.#timers.monotonic()) await this.#timed()
  }
}
