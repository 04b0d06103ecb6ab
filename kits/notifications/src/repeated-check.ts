import type { Log, Timers } from '@hearth/runtime'

/** A check that reports what it finds. */
export interface RepeatedCheck {
  readonly check: () => Promise<void>
  /** Pause between two checks, milliseconds. */
  readonly everyMs: number
  /** Pause before the first check, milliseconds; `everyMs` when left out. */
  readonly firstAfterMs?: number
  readonly timers: Timers
  readonly log: Log
}

/** Runs a check again and again until closed; one that fails is logged. */
export function startRepeatedCheck(repeated: RepeatedCheck): { close(): Promise<void> } {
  const { check, everyMs, firstAfterMs = everyMs, timers, log } = repeated
  let cancel: () => void = () => undefined
  let running = Promise.resolve()
  let isClosed = false
  const next = (waitMs = everyMs) => {
    cancel = timers.after(waitMs, () => {
      running = check()
        .catch((error: unknown) => log.warn({ err: error }, 'the state for notifications could not be read'))
        .finally(() => {
          if (!isClosed) next()
        })
    })
  }
  next(firstAfterMs)
  return {
    async close(): Promise<void> {
      isClosed = true
      cancel()
      await running
    },
  }
}
