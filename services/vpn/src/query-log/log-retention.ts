import type { SettledClock } from '@hearth/runtime'

const day = 86_400_000

/** How long the log keeps entries. */
export class LogRetention {
  readonly #settled: Pick<SettledClock, 'isSettled'>
  /** Days; 0 keeps nothing. */
  days: number

  constructor(days: number, settled: Pick<SettledClock, 'isSettled'>) {
    this.days = days
    this.#settled = settled
  }

  /** The time from which on entries are kept. With a clock that is not believed none is too old. */
  oldestKept(now: number): number {
    if (this.days === 0) return Infinity
    return this.#settled.isSettled() ? now - this.days * day : -Infinity
  }
}
