/** Wait before the next attempt to connect: twice as long after each failure, within bounds. Milliseconds. */
export class BackOff {
  readonly #first: number
  readonly #longest: number
  #failures = 0

  constructor([first, longest]: readonly [number, number]) {
    this.#first = first
    this.#longest = longest
  }

  /** Counts a failure and tells how long to wait after it. */
  failed(): number {
    const wait = Math.min(this.#longest, this.#first * 2 ** this.#failures)
    if (wait < this.#longest) this.#failures += 1
    return wait
  }

  /** The other side showed that it works; an open connection alone does not show that. */
  succeeded(): void {
    this.#failures = 0
  }
}
