import type { Timers } from '@hearth/runtime'
import type { DeviceState } from './schema.ts'

/** Failures in a row after which a device counts as unreachable. */
const tolerated = 3

/** Source of the last value of a device. */
type LivenessSource = 'transaction' | 'periodic' | 'heartbeat'

/** Liveness of a device before its first exchange. */
const noSigns = {
  lastSuccessAt: null as number | null,
  lastHeartbeatAt: null as number | null,
  livenessSource: null as LivenessSource | null,
  /** Exchanges that failed in a row. */
  consecutiveFailures: 0,
  transactions: 0,
  failures: 0,
}
type LivenessStatus = Readonly<typeof noSigns>

/** The state that follows from the liveness; maintenance takes precedence. */
export function livenessState(signs: LivenessStatus, isInMaintenance: boolean): DeviceState {
  if (isInMaintenance) return 'maintenance'
  if (signs.consecutiveFailures >= tolerated) return 'unreachable'
  if (signs.lastSuccessAt === null) return 'starting'
  return signs.consecutiveFailures > 0 ? 'degraded' : 'ok'
}

/** Tracks the liveness of one device. */
export class Liveness {
  readonly #timers: Timers
  #signs: LivenessStatus = noSigns
  #succeededAt = -Infinity

  constructor(timers: Timers) {
    this.#timers = timers
  }

  status(): LivenessStatus {
    return this.#signs
  }

  /** Milliseconds since the device last gave a value, by a clock that does not jump. */
  silence(): number {
    return this.#timers.monotonic() - this.#succeededAt
  }

  /** `lives`: the device answered, with a value or an error. */
  recordExchange({ worked, lives, isHeartbeat }: { worked: boolean; lives: boolean; isHeartbeat: boolean }): void {
    const signs = this.#signs
    const counts = { transactions: signs.transactions + 1, failures: signs.failures + (worked ? 0 : 1) }
    if (worked) {
      const heartbeat = isHeartbeat ? { lastHeartbeatAt: this.#timers.now() } : {}
      this.#signs = { ...signs, ...counts, ...this.#success(isHeartbeat ? 'heartbeat' : 'transaction'), ...heartbeat }
    } else this.#signs = { ...signs, ...counts, consecutiveFailures: lives ? 0 : signs.consecutiveFailures + 1 }
  }

  recordPeriodic(): void {
    this.#signs = { ...this.#signs, ...this.#success('periodic') }
  }

  #success(livenessSource: LivenessSource) {
    this.#succeededAt = this.#timers.monotonic()
    return { lastSuccessAt: this.#timers.now(), livenessSource, consecutiveFailures: 0 }
  }
}

/** Interval of the heartbeat, and its interval while the device fails; milliseconds. */
const interval = 60_000
const failingInterval = 10_000

/**
 * Starts the heartbeat: at once, then every minute, and every ten seconds while the device fails. Never two at a time.
 * Returns a function that ends it.
 */
export function startHeartbeat(timers: Timers, isFailing: () => boolean, beat: () => Promise<void>): () => void {
  let cancel = () => undefined as void
  let isClosed = false
  async function run(): Promise<void> {
    try {
      await beat()
    } catch {
      // The liveness has recorded it.
    }
    if (!isClosed) cancel = timers.after(isFailing() ? failingInterval : interval, () => void run())
  }
  cancel = timers.after(0, () => void run())
  return () => {
    isClosed = true
    cancel()
  }
}
