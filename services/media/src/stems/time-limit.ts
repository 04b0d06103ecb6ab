import type { Timers } from '@hearth/runtime'
import { StemServiceError } from './stem-service-error.ts'

/** A limit on how long nothing may happen. */
export type TimeLimit = ReturnType<typeof startTimeLimit>

/** Starts a limit in milliseconds on top of the caller's signal. */
export function startTimeLimit(timers: Timers, ms: number, outer?: AbortSignal) {
  const controller = new AbortController()
  const expire = () => controller.abort(new StemServiceError('timeout'))
  let cancel = timers.after(ms, expire)
  const signal: AbortSignal = outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal])
  return {
    /** Aborts with `timeout` when the time is over, or with the caller's reason. */
    signal,
    /** Starts the time again, because something happened. */
    restart(): void {
      cancel()
      cancel = timers.after(ms, expire)
    },
    [Symbol.dispose]: () => cancel(),
  }
}
