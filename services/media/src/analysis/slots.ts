import { AnalysisFailed } from './analysis-failed.ts'

interface Waiting<Item> {
  readonly take: (item: Item) => void
  readonly turnAway: (error: Error) => void
}

/**
 * A few things that are lent to one user at a time, with a line of those who wait.
 * Lends `items`; at most `bound` may wait.
 */
export class Slots<Item> {
  readonly #free: Item[]
  readonly #bound: number
  readonly #line = new Set<Waiting<Item>>()
  #isClosed = false

  constructor(items: readonly Item[], bound: number) {
    this.#free = [...items]
    this.#bound = bound
  }

  /** Lends an item for the time of `work`. Rejects at once when too many wait, and when the signal aborts the waiting. */
  async use<Result>(signal: AbortSignal, work: (item: Item) => Promise<Result>): Promise<Result> {
    const item = await this.#take(signal)
    try {
      return await work(item)
    } finally {
      const [next] = this.#line
      if (next === undefined) this.#free.push(item)
      else next.take(item)
    }
  }

  /** Turns away all that wait and all that come. */
  close(): void {
    this.#isClosed = true
    for (const waiting of this.#line) waiting.turnAway(closed())
  }

  async #take(signal: AbortSignal): Promise<Item> {
    signal.throwIfAborted()
    if (this.#isClosed) throw closed()
    const item = this.#free.pop()
    if (item !== undefined) return item
    if (this.#line.size >= this.#bound)
      throw new AnalysisFailed('busy', `more than ${this.#bound} files are waiting for analysis`)
    return new Promise((settle, reject) => this.#wait(signal, { take: settle, turnAway: reject }))
  }

  #wait(signal: AbortSignal, { take, turnAway }: Waiting<Item>): void {
    const leave = () => waiting.turnAway(signal.reason as Error)
    const finish = () => {
      this.#line.delete(waiting)
      signal.removeEventListener('abort', leave)
    }
    const waiting: Waiting<Item> = {
      take: (item) => {
        finish()
        take(item)
      },
      turnAway: (error) => {
        finish()
        turnAway(error)
      },
    }
    signal.addEventListener('abort', leave)
    this.#line.add(waiting)
  }
}

function closed(): AnalysisFailed {
  return new AnalysisFailed('closed', 'the analysis is shutting down')
}
