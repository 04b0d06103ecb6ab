import type { Log, Timers } from '@hearth/runtime'

export interface PendingDependencies {
  readonly timers: Timers
  readonly log: Log
  /**
   * Returns a name of the state that is wanted and not served; empty when there is none. Different states have different
   * names.
   */
  readonly pending: () => Promise<string>
  readonly isApplying: () => boolean
  readonly apply: () => Promise<void>
}

const everyMs = 2000
/** Pause before another attempt at the same state, milliseconds. */
const againMs = 30_000

/**
 * Creates the watch that applies pending edits: those of the command line, and those made while
 * no server answered. It checks every 2 seconds after `start` and repeats a failed attempt after 30 seconds.
 */
export function createPendingWatch({ timers, log, pending, isApplying, apply }: PendingDependencies) {
  let cancel: () => void = () => undefined
  let isClosed = false
  let tried = { name: '', at: -Infinity }

  async function checkNow(): Promise<void> {
    if (isApplying()) return
    const name = await pending()
    const now = timers.monotonic()
    if (name === '' || isApplying() || (name === tried.name && now - tried.at < againMs)) return
    tried = { name, at: now }
    await apply()
  }

  function start(): void {
    cancel = timers.after(everyMs, () => {
      if (isClosed) return
      void checkNow()
        .catch((error: unknown) => log.warn({ err: error }, 'what is not served yet could not be looked for'))
        .finally(() => start())
    })
  }

  return {
    start,
    close(): void {
      isClosed = true
      cancel()
    },
  }
}
