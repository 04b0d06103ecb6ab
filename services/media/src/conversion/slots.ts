interface Waiting<Item> {
  readonly take: (item: Item) => void
  readonly leave: () => void
}

/** Items that are lent to one user at a time, such as slots for work that needs the processor; users wait in a queue when none is free. */
export class Slots<Item = number> {
  readonly #free: Item[]
  readonly #queue = new Set<Waiting<Item>>()

  constructor(items: readonly Item[]) {
    this.#free = [...items]
  }

  /** True if the next user would have to wait. */
  get isFull(): boolean {
    return this.#free.length === 0
  }

  /** Number of users in the queue. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Runs the work with an item when one is free. Rejects with the signal's reason when that comes first. */
  async use<Result>(signal: AbortSignal, work: (item: Item) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted()
    const item = this.#free.pop() ?? (await this.#wait(signal))
    try {
      return await work(item)
    } finally {
      const [next] = this.#queue
      if (next === undefined) this.#free.push(item)
      else {
        next.leave()
        next.take(item)
      }
    }
  }

  #wait(signal: AbortSignal): Promise<Item> {
    return new Promise((take, reject) => {
      const abort = () => {
        leave()
        reject(signal.reason as Error)
      }
      const leave = () => {
        this.#queue.delete(waiting)
        signal.removeEventListener('abort', abort)
      }
      const waiting = { take, leave }
      signal.addEventListener('abort', abort)
      this.#queue.add(waiting)
    })
  }
}

/** Creates a number of slots. */
export const createSlots = (count: number): Slots => new Slots(Array.from({ length: count }, (_, index) => index))
