import type { SettledClock } from '@hearth/runtime'

const day = 86_400_000

type Belief = Pick<SettledClock, 'isSettled' | 'hasJumped'>

/** How long the log keeps entries. */
export class LogRetention {
  readonly #belief: Belief
  #days: number
  #isShortened = false

  constructor(days: number, belief: Belief) {
    this.#days = days
    this.#belief = belief
  }

  /** Days; 0 keeps nothing. */
  get days(): number {
    return this.#days
  }

  /** A shorter time acts at once, unless the clock has just jumped. */
  set days(days: number) {
    this.#isShortened ||= days < this.#days
    this.#days = days
  }

  /** The time from which on entries are kept. With a clock that is not believed none is too old. */
  oldestKept(now: number): number {
    if (this.#days === 0) return Infinity
    const isSettled = this.#belief.isSettled()
    if (isSettled) this.#isShortened = false
    const isBelieved = isSettled || (this.#isShortened && !this.#belief.hasJumped())
    return isBelieved ? now - this.#days * day : -Infinity
  }
}
