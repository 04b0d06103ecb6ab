const ranks = { control: 0, normal: 1, background: 2 }

/** Priority of a request: the battery dispatch first, then callers, then upkeep. */
export type Priority = keyof typeof ranks

/** Bounded queue of requests: by priority, and by arrival inside one priority. */
export class SendQueue<T extends { readonly priority: Priority }> {
  readonly #limit: number
  /** In the order they go out. */
  #items: T[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#items.length
  }

  /**
   * Adds an item. When the queue is full, one has to go and is returned: the newest of the least important
   * ones, or the item itself when nothing waits that is less important.
   */
  add(item: T): T | undefined {
    const before = this.#items.findLastIndex(({ priority }) => ranks[priority] <= ranks[item.priority])
    this.#items.splice(before + 1, 0, item)
    return this.length > this.#limit ? this.#items.pop() : undefined
  }

  /** Takes out the one whose turn it is. */
  next(): T | undefined {
    return this.#items.shift()
  }

  /** Takes out one item before its turn, if it still waits. */
  remove(item: T): void {
    this.takeAll((other) => other === item)
  }

  /** Takes out all items for which this holds. */
  takeAll(isWanted: (item: T) => boolean): T[] {
    const taken = this.#items.filter(isWanted)
    this.#items = this.#items.filter((item) => !taken.includes(item))
    return taken
  }
}
