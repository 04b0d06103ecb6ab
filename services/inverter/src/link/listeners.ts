/** Listeners of one event. */
export class Listeners<A extends unknown[]> {
  readonly #all = new Set<(...event: A) => void>()

  /** Returns a function that removes the listener. The same function can be added twice. */
  add(listener: (...event: A) => void): () => void {
    const own = (...event: A) => listener(...event)
    this.#all.add(own)
    return () => void this.#all.delete(own)
  }

  notify(...event: A): void {
    for (const listener of this.#all) listener(...event)
  }
}
