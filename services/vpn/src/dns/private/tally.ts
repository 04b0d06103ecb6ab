/** Counts what is open by key, with a limit for each and one for all. */
export class Tally<Key> {
  readonly #counts = new Map<Key, number>()
  readonly #limits: { readonly each: number; readonly all: number }
  #all = 0

  constructor(limits: { readonly each: number; readonly all: number }) {
    this.#limits = limits
  }

  /** Counts one more; returns the function that gives it back, once, or undefined when there are too many. */
  take(key: Key): (() => void) | undefined {
    const count = this.#counts.get(key) ?? 0
    if (count >= this.#limits.each || this.#all >= this.#limits.all) return undefined
    this.#counts.set(key, count + 1)
    this.#all += 1
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#all -= 1
      const left = (this.#counts.get(key) ?? 1) - 1
      if (left === 0) this.#counts.delete(key)
      else this.#counts.set(key, left)
    }
  }
}
