/** A set of listeners. */
export class Listeners<A extends unknown[]> {
  readonly #all = new Set<(...news: A) => void>()

  /** Returns what ends it. The same function can listen twice. */
  add(listener: (...news: A) => void): () => void {
    const own = (...news: A) => listener(...news)
    this.#all.add(own)
    return () => {
      this.#all.delete(own)
    }
  }

  tell(...news: A): void {
    for (const listener of this.#all) listener(...news)
  }
}
