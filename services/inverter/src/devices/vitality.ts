import type { Timers } from '@hearth/runtime'

/** Failures in a row after which a device counts as unreachable. */
const tolerated = 3

/** How a value of the device last arrived. */
export type LivenessSource = 'transaction' | 'periodic' | 'heartbeat'

/** What is known of a device's life signs. */
export interface LifeSigns {
  readonly lastSuccessAt: number | null
  readonly lastHeartbeatAt: number | null
  readonly livenessSource: LivenessSource | null
  /** Exchanges that failed in a row. */
  readonly consecutiveFailures: number
  readonly transactions: number
  readonly failures: number
}

export type VitalState = 'ok' | 'degraded' | 'unreachable' | 'maintenance' | 'starting'

/** The state that follows from the life signs; maintenance goes before everything. */
export function vitalState(signs: LifeSigns, isInMaintenance: boolean): VitalState {
  if (isInMaintenance) return 'maintenance'
  if (signs.consecutiveFailures >= tolerated) return 'unreachable'
  if (signs.lastSuccessAt === null) return 'starting'
  return signs.consecutiveFailures > 0 ? 'degraded' : 'ok'
}

/** Notes the life signs of one device. */
export class Vitality {
  readonly #timers: Timers
  #signs: LifeSigns = {
    lastSuccessAt: null,
    lastHeartbeatAt: null,
    livenessSource: null,
    consecutiveFailures: 0,
    transactions: 0,
    failures: 0,
  }
  #succeededAt = -Infinity

  constructor(timers: Timers) {
    this.#timers = timers
  }

  signs(): LifeSigns {
    return this.#signs
  }

  /** Milliseconds since the device last gave a value, by a clock that does not jump. */
  silence(): number {
    return this.#timers.monotonic() - this.#succeededAt
  }

  /** `lives`: the device answered, be it a value or not. */
  noteExchange({ worked, lives, isHeartbeat }: { worked: boolean; lives: boolean; isHeartbeat: boolean }): void {
    const signs = this.#signs
    const counts = { transactions: signs.transactions + 1, failures: signs.failures + (worked ? 0 : 1) }
    if (worked) {
      const heartbeat = isHeartbeat ? { lastHeartbeatAt: this.#timers.now() } : {}
      this.#signs = { ...signs, ...counts, ...this.#success(isHeartbeat ? 'heartbeat' : 'transaction'), ...heartbeat }
    } else this.#signs = { ...signs, ...counts, consecutiveFailures: lives ? 0 : signs.consecutiveFailures + 1 }
  }

  notePeriodic(): void {
    this.#signs = { ...this.#signs, ...this.#success('periodic') }
  }

  #success(livenessSource: LivenessSource) {
    this.#succeededAt = this.#timers.monotonic()
    return { lastSuccessAt: this.#timers.now(), livenessSource, consecutiveFailures: 0 }
  }
}
