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
export interface Vitality {
  signs(): LifeSigns
  /** `lives`: the device answered, be it a value or not. */
  noteExchange(exchange: { worked: boolean; lives: boolean; isHeartbeat: boolean }): void
  notePeriodic(): void
  /** Milliseconds since the device last gave a value, by a clock that does not jump. */
  silence(): number
}

export function createVitality(timers: Timers): Vitality {
  let signs: LifeSigns = {
    lastSuccessAt: null,
    lastHeartbeatAt: null,
    livenessSource: null,
    consecutiveFailures: 0,
    transactions: 0,
    failures: 0,
  }
  let succeededAt = -Infinity
  const success = (livenessSource: LivenessSource) => {
    succeededAt = timers.monotonic()
    return { lastSuccessAt: timers.now(), livenessSource, consecutiveFailures: 0 }
  }
  return {
    signs: () => signs,
    silence: () => timers.monotonic() - succeededAt,
    noteExchange({ worked, lives, isHeartbeat }) {
      const heartbeat = isHeartbeat && worked ? { lastHeartbeatAt: timers.now() } : {}
      const counts = { transactions: signs.transactions + 1, failures: signs.failures + (worked ? 0 : 1) }
      if (worked) signs = { ...signs, ...counts, ...success(isHeartbeat ? 'heartbeat' : 'transaction'), ...heartbeat }
      else signs = { ...signs, ...counts, consecutiveFailures: lives ? 0 : signs.consecutiveFailures + 1 }
    },
    notePeriodic() {
      signs = { ...signs, ...success('periodic') }
    },
  }
}
