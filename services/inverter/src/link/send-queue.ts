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
   * Adds an item. When the queue is full it returns the item it drops: the newest of the lowest priority, which may be the
   * added one.
   */
  add(item: T): T | undefined {
    const before = this.#items.findLastIndex(({ priority }) => ranks[priority] <= ranks[item.priority])
    this.#items.splice(before + 1, 0, item)
    return this.length > this.#limit ? this.#items.pop() : undefined
  }

  /** Removes and returns the next item. */
  next(): T | undefined {
    return this.#items.shift()
  }

  /** Removes an item, if it is still queued. */
  remove(item: T): void {
    this.takeAll((other) => other === item)
  }

  /** Removes and returns all items that match. */
  takeAll(isWanted: (item: T) => boolean): T[] {
    const taken = this.#items.filter(isWanted)
    this.#items = this.#items.filter((item) => !taken.includes(item))
    return taken
  }
}
