import type { Timers } from '@hearth/runtime'
import { StemServiceError } from './stem-service-error.ts'

/** A limit on how long nothing may happen. */
export interface TimeLimit extends Disposable {
  /** Aborts with `timeout` when the time is over, or with the caller's reason. */
  readonly signal: AbortSignal
  /** Something happened: the time begins anew. */
  restart(): void
}

/** Starts a limit in milliseconds on top of the caller's signal. */
export function startTimeLimit(timers: Timers, ms: number, outer?: AbortSignal): TimeLimit {
  const controller = new AbortController()
  const expire = () => controller.abort(new StemServiceError('timeout'))
  let cancel = timers.after(ms, expire)
  return {
    signal: outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal]),
    restart() {
      cancel()
      cancel = timers.after(ms, expire)
    },
    [Symbol.dispose]: () => cancel(),
  }
}
