/** A number of places for work that needs the processor; whoever finds none waits in line. */
export interface Slots {
  /** Runs the work when a place is free. Rejects with the signal's reason when that comes first. */
  use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** True if the next one would have to wait. */
  readonly isFull: boolean
}

export function createSlots(places: number): Slots {
  const waiting: (() => void)[] = []
  let free = places

  function release(): void {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  async function acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (free > 0) {
      free -= 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => {
      waiting.splice(waiting.indexOf(resolve), 1)
      reject(signal.reason as Error)
    }
    waiting.push(resolve)
    signal.addEventListener('abort', abort, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', abort))
  }

  return {
    async use(signal, work) {
      await acquire(signal)
      try {
        return await work()
      } finally {
        release()
      }
    },
    get isFull() {
      return free === 0
    },
  }
}
