import type { Timers } from '@hearth/runtime'

/** Dependencies of a maintenance. */
export interface MaintenanceOptions {
  readonly timers: Timers
  /** Time in which nothing is sent, milliseconds. */
  readonly cooldownMs: number
  readonly onCooledDown: () => void
}

/** The state in which nothing is sent because the device is in its bootloader: cool-downs until it answers. */
export class Maintenance {
  readonly #options: MaintenanceOptions
  #until: { wall: number; monotonic: number } | undefined
  #cancel: (() => void) | undefined

  constructor(options: MaintenanceOptions) {
    this.#options = options
  }

  get isActive(): boolean {
    return this.#until !== undefined
  }

  /** Wall clock, milliseconds, when the cool-down ends; null when the device is in service. */
  get until(): number | null {
    return this.#until?.wall ?? null
  }

  /** Remaining time in whole seconds to the end of the cool-down, at least one. */
  get secondsLeft(): number {
    const left = (this.#until?.monotonic ?? 0) - this.#options.timers.monotonic()
    return Math.max(1, Math.ceil(left / 1000))
  }

  /** Begins the first or a further cool-down. */
  coolDown(): void {
    const { timers, cooldownMs, onCooledDown } = this.#options
    this.#cancel?.()
    this.#until = { wall: timers.now() + cooldownMs, monotonic: timers.monotonic() + cooldownMs }
    this.#cancel = timers.after(cooldownMs, onCooledDown)
  }

  end(): void {
    this.#cancel?.()
    this.#until = undefined
  }
}
