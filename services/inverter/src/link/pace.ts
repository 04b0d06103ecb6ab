const maxGap = 1000
const minStep = 50
const successesToNarrow = 10

/** The pause between two exchanges, milliseconds: wider while the device does not keep up, down to the given one when it does. */
export class Pace {
  readonly #base: number
  #gap: number
  #successes = 0

  constructor(base: number) {
    this.#base = base
    this.#gap = base
  }

  get gap(): number {
    return this.#gap
  }

  timedOut(): void {
    this.#successes = 0
    this.#gap = Math.max(this.#base, Math.min(maxGap, Math.max(2 * this.#gap, minStep)))
  }

  succeeded(): void {
    this.#successes += 1
    if (this.#successes < successesToNarrow) return
    this.#successes = 0
    this.#gap = Math.max(this.#base, Math.floor(this.#gap / 2))
  }
}
