import type { Timers } from '@hearth/runtime'

/** Intervals after which values are sent by themselves, one for each inverter of the plant. */
export class PeriodicCycles {
  readonly #timers: Timers
  readonly #due: (address: number | undefined) => void
  readonly #cancels = new Map<number | undefined, () => void>()

  constructor(timers: Timers, due: (address: number | undefined) => void) {
    this.#timers = timers
    this.#due = due
  }

  /** Begins the interval anew; 0 seconds end it. */
  set(address: number | undefined, seconds: number): void {
    this.#cancels.get(address)?.()
    this.#cancels.delete(address)
    if (seconds > 0)
      this.#cancels.set(
        address,
        this.#timers.after(seconds * 1000, () => this.#due(address)),
      )
  }

  close(): void {
    for (const cancel of this.#cancels.values()) cancel()
    this.#cancels.clear()
  }
}
