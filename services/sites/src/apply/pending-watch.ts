import type { Log, Timers } from '@hearth/runtime'

/** Looks for edits that nobody asked to apply: those of the command line, and those no server could take when they were made. */
export interface PendingWatch {
  start(): void
  close(): void
}

export interface PendingParts {
  readonly timers: Timers
  readonly log: Log
  /** Names what is wanted and not served; empty for nothing. Two states that differ have different names. */
  readonly pending: () => Promise<string>
  readonly isApplying: () => boolean
  readonly apply: () => Promise<void>
}

const everyMs = 2000
/** How long to wait before the same is tried again, milliseconds. */
const againMs = 30_000

export function createPendingWatch({ timers, log, pending, isApplying, apply }: PendingParts): PendingWatch {
  let cancel: () => void = () => undefined
  let isClosed = false
  let tried = { name: '', at: -Infinity }

  async function look(): Promise<void> {
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
      void look()
        .catch((error: unknown) => log.warn({ err: error }, 'what is not served yet could not be looked for'))
        .finally(() => start())
    })
  }

  return {
    start,
    close() {
      isClosed = true
      cancel()
    },
  }
}
