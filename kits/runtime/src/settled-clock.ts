import type { Clock } from './clock.ts'

/** Time after which a wall clock that has not jumped is believed, milliseconds. */
const settledAfter = 3_600_000
/** A change of the wall clock against the monotonic one that is a jump, milliseconds. */
const jump = 3_600_000

/**
 * Tells whether a wall clock may decide what is deleted for good. A machine may start with a wrong one, and its time server sets it
 * soon: a clock is believed when it has run for an hour without a jump. A jump is seen at the next question.
 */
export class SettledClock {
  readonly #clock: Clock
  readonly #startedAt: number
  #jumpedAt = -Infinity
  #offset: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.monotonic()
    this.#offset = clock.now() - this.#startedAt
  }

  /** True when it has run for an hour without a jump. */
  isSettled(): boolean {
    return !this.hasJumped() && this.#clock.monotonic() - this.#startedAt >= settledAfter
  }

  /** True within an hour after a jump; for what a person asked for just now. */
  hasJumped(): boolean {
    const monotonic = this.#clock.monotonic()
    const offset = this.#clock.now() - monotonic
    if (Math.abs(offset - this.#offset) > jump) this.#jumpedAt = monotonic
    this.#offset = offset
    return monotonic - this.#jumpedAt < settledAfter
  }
}
