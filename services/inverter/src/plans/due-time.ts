import type { Clock } from '@hearth/runtime'

/** A moment by both clocks. */
interface Moment {
  readonly now: number
  readonly monotonic: number
}

/** A wall clock that says a time so far before one it said is wrong now or was wrong then, milliseconds. */
const setBack = 60_000

/**
 * A time by the wall clock at which something is to be done. It is due at that time, when as much time has passed as there was
 * until then, or when the clock was set back before the moment it was counted from: what a wrong clock said puts nothing off.
 */
export class DueTime {
  readonly #clock: Clock
  #at = 0
  #from: Moment

  constructor(clock: Clock) {
    this.#clock = clock
    this.#from = this.moment()
  }

  /** The present, to count from. */
  moment(): Moment {
    return { now: this.#clock.now(), monotonic: this.#clock.monotonic() }
  }

  /** Sets the time, counted from a moment. */
  set(at: number, from = this.moment()): void {
    this.#at = at
    this.#from = from
  }

  /** Makes it due after so many milliseconds since the moment it is counted from, unless it is so before. */
  hurry(ms: number): void {
    this.#at = Math.min(this.#at, this.#from.now + ms)
  }

  isDue(): boolean {
    const { now, monotonic } = this.moment()
    const { now: from, monotonic: since } = this.#from
    return now >= this.#at || monotonic - since >= this.#at - from || now < from - setBack
  }
}
