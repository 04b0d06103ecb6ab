/** One request of a node that waits. */
export interface Waiter extends Disposable {
  /** Number of changes so far: read before the state, so that a change in between is not missed. */
  readonly changes: number
  /** Waits for a change after that number. Resolves with false when the time is over, or the wait was ended. */
  next(after: number, milliseconds: number): Promise<boolean>
}

interface Entry {
  changes: number
  /** Ends the wait of the request that waits; true for a change. */
  wake: ((isChange: boolean) => void) | undefined
  current: symbol | undefined
}

/** Requests of nodes that wait for another state, one of each node: a new one ends the one before. */
export class StateWaiters {
  readonly #entries = new Map<string, Entry>()
  #isClosed = false

  /** Begins the wait of a node. */
  begin(nodeId: string, signal: AbortSignal): Waiter {
    const entry = this.#entry(nodeId)
    const token = Symbol(nodeId)
    entry.wake?.(false)
    entry.current = token
    const isOver = () => this.#isClosed || entry.current !== token || signal.aborted
    return {
      get changes() {
        return entry.changes
      },
      next: (after, milliseconds) => {
        if (isOver() || milliseconds <= 0) return Promise.resolve(false)
        if (entry.changes !== after) return Promise.resolve(true)
        const { promise, resolve } = Promise.withResolvers<boolean>()
        const finish = (isChange: boolean) => {
          clearTimeout(timer)
          signal.removeEventListener('abort', abort)
          if (entry.wake === finish) entry.wake = undefined
          resolve(isChange && !isOver())
        }
        const abort = () => finish(false)
        const timer = setTimeout(finish, milliseconds, false)
        signal.addEventListener('abort', abort, { once: true })
        entry.wake = finish
        return promise
      },
      [Symbol.dispose]: () => {
        if (entry.current === token) entry.current = undefined
      },
    }
  }

  /** Wakes the request of a node. */
  changed(nodeId: string): void {
    const entry = this.#entry(nodeId)
    entry.changes += 1
    entry.wake?.(true)
  }

  /** Ends the request of a node, and forgets it. */
  forget(nodeId: string): void {
    const entry = this.#entries.get(nodeId)
    this.#entries.delete(nodeId)
    if (entry === undefined) return
    entry.current = undefined
    entry.wake?.(false)
  }

  /** Ends all requests. */
  close(): void {
    this.#isClosed = true
    for (const { wake } of this.#entries.values()) wake?.(false)
  }

  #entry(nodeId: string): Entry {
    const entry = this.#entries.get(nodeId) ?? { changes: 0, wake: undefined, current: undefined }
    this.#entries.set(nodeId, entry)
    return entry
  }
}
