import { createKeyedQueue, type Timers } from '@hearth/runtime'
import { Problem } from '../problems.ts'

/** Maximum number of requests that wait for a device; ends of operations do not count. */
const waitingLimit = 8

/** Runs the tasks of one device one after the other, with timed tasks in between. */
export type DeviceQueue = ReturnType<typeof createDeviceQueue>

/**
 * Creates the queue. `due` returns when the timed work is due next, monotonic milliseconds, and undefined for never; it is
 * called after every piece of work.
 */
export function createDeviceQueue(timers: Timers, timed: { due: () => number | undefined; run: () => Promise<void> }) {
  const queue = createKeyedQueue(1000)
  let waiting = 0
  let isClosed = false
  let cancel: () => void = () => undefined

  /** Throws `queue_full` for normal work when much is waiting already; urgent work always waits. */
  async function run<T>(priority: 'normal' | 'urgent', work: () => Promise<T>): Promise<T> {
    if (priority === 'normal' && waiting >= waitingLimit)
      throw new Problem('queue_full', 'Too many requests are waiting for the device', { retryAfterSeconds: 5 })
    waiting += 1
    try {
      return await queue.run('', work)
    } finally {
      waiting -= 1
      schedule()
    }
  }

  function schedule(): void {
    cancel()
    const due = isClosed ? undefined : timed.due()
    if (due === undefined) return
    cancel = timers.after(Math.max(0, due - timers.monotonic()), () => {
      // Only a full queue rejects; the next piece that ends schedules again.
      run('urgent', runIfDue).catch(() => undefined)
    })
  }

  /** Runs the timed work if it is still due: an attempt that failed just now is not repeated before its pause. */
  async function runIfDue(): Promise<void> {
    const due = timed.due()
    if (due !== undefined && due <= timers.monotonic()) await timed.run()
  }

  return {
    run,
    /** Ends the timed work and waits for the queued tasks. */
    async close(): Promise<void> {
      isClosed = true
      cancel()
      await queue.idle()
    },
  }
}
