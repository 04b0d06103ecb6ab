import type { Timers } from '@hearth/runtime'

/** How often a device is asked for a sign of life, and how often while it gives none; milliseconds. */
const interval = 60_000
const failingInterval = 10_000

export interface Heartbeat {
  close(): void
}

/** Asks at once, then every minute, and every ten seconds while the device fails. Never two at a time. */
export function startHeartbeat(parts: {
  timers: Timers
  isFailing: () => boolean
  beat: () => Promise<void>
}): Heartbeat {
  let cancel = () => undefined as void
  let isClosed = false
  async function run(): Promise<void> {
    try {
      await parts.beat()
    } catch {
      // The life signs know of it.
    }
    if (!isClosed) cancel = parts.timers.after(parts.isFailing() ? failingInterval : interval, () => void run())
  }
  cancel = parts.timers.after(0, () => void run())
  return {
    close() {
      isClosed = true
      cancel()
    },
  }
}
