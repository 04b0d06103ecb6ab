import type { Log, Timers } from '@hearth/runtime'

/** A check that reports what it finds. */
export interface RepeatedCheck {
  readonly check: () => Promise<void>
  /** Pause between two checks, milliseconds. */
  readonly everyMs: number
  readonly timers: Timers
  readonly log: Log
}

/** Runs a check again and again until closed; one that fails is logged. */
export function startRepeatedCheck({ check, everyMs, timers, log }: RepeatedCheck): { close(): Promise<void> } {
  let cancel: () => void = () => undefined
  let running = Promise.resolve()
  let isClosed = false
  const next = () => {
    cancel = timers.after(everyMs, () => {
      running = check()
        .catch((error: unknown) => log.warn({ err: error }, 'the state for notifications could not be read'))
        .finally(() => {
          if (!isClosed) next()
        })
    })
  }
  next()
  return {
    async close(): Promise<void> {
      isClosed = true
      cancel()
      await running
    },
  }
}
