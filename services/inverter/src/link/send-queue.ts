/** Priority of a request: the battery dispatch first, then callers, then upkeep. */
export type Priority = 'control' | 'normal' | 'background'

const order: readonly Priority[] = ['control', 'normal', 'background']

/** Bounded queue of requests: by priority, and by arrival inside one priority. */
export class SendQueue<T extends { readonly priority: Priority }> {
  readonly #limit: number
  readonly #lines: Readonly<Record<Priority, T[]>> = { control: [], normal: [], background: [] }

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return order.reduce((sum, priority) => sum + this.#lines[priority].length, 0)
  }

  /**
   * Adds an item. When the queue is full, one has to go and is returned: the newest of the least important
   * ones, or the item itself when nothing waits that is less important.
   */
  add(item: T): T | undefined {
    this.#lines[item.priority].push(item)
    if (this.length <= this.#limit) return undefined
    return order
      .toReversed()
      .map((priority) => this.#lines[priority])
      .find((line) => line.length > 0)
      ?.pop()
  }

  /** Takes out the one whose turn it is. */
  next(): T | undefined {
    return order
      .map((priority) => this.#lines[priority])
      .find((line) => line.length > 0)
      ?.shift()
  }

  /** Takes out one item before its turn, if it still waits. */
  remove(item: T): void {
    const line = this.#lines[item.priority]
    const at = line.indexOf(item)
    if (at >= 0) line.splice(at, 1)
  }

  /** Takes out all items for which this holds. */
  takeAll(isWanted: (item: T) => boolean): T[] {
    return order.flatMap((priority) => {
      const line = this.#lines[priority]
      const taken = line.filter(isWanted)
      line.splice(0, line.length, ...line.filter((item) => !taken.includes(item)))
      return taken
    })
  }
}
