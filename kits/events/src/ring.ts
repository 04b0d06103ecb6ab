/** An event and its number. */
export interface NumberedEvent<Event> {
  readonly id: number
  readonly event: Event
}

/** The last events, for subscribers that come back. */
export class Ring<Event> {
  readonly #size: number
  readonly #events: NumberedEvent<Event>[] = []
  /** The number after which nothing is missing; undefined after a gap. */
  #floor: number | undefined
  #lastId: number
  #count = 0

  constructor(size: number, lastId: number) {
    this.#size = size
    this.#floor = lastId
    this.#lastId = lastId
  }

  get lastId(): number {
    return this.#lastId
  }

  /** Number of events so far, for `since`. */
  get count(): number {
    return this.#count
  }

  add(event: Event, id: number): void {
    this.#lastId = id
    this.#count += 1
    this.#events.push({ id, event })
    if (this.#events.length > this.#size) this.#floor = this.#events.shift()?.id
  }

  /** Clears the ring: events were lost, so no subscriber can continue from before. */
  forget(): void {
    this.#events.length = 0
    this.#floor = undefined
  }

  /** Events since there were so many; undefined when some of them are not kept any more. */
  since(count: number): readonly NumberedEvent<Event>[] | undefined {
    const position = this.#events.length - (this.#count - count)
    return position < 0 ? undefined : this.#events.slice(position)
  }

  /** Events after a number; undefined when some of them are not known any more, or the number never was. */
  after(id: string): readonly NumberedEvent<Event>[] | undefined {
    if (id === String(this.#floor)) return [...this.#events]
    // Numbers of several processes may come out of order: the position in the ring counts, not the size.
    const position = this.#events.findIndex((numbered) => String(numbered.id) === id)
    return position === -1 ? undefined : this.#events.slice(position + 1)
  }
}
