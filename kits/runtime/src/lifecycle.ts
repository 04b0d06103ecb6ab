import type { Log } from './log.ts'
import { startWatchdog } from './watchdog.ts'

/** How long a service may take to finish its work after it was asked to stop, milliseconds. */
export const shutdownLimit = 20_000

/** How much later than the limit the watchdog acts, milliseconds: an event loop that still turns ends the process by itself. */
const watchdogDelay = 500

/**
 * Runs until SIGTERM or SIGINT, then closes and ends the process with 0; with 1 when closing fails or takes longer than the
 * limit. A process whose event loop does not turn any more is killed soon after the limit. A second signal does not wait.
 *
 * @param limitMs milliseconds
 */
export function closeOnSignal(service: { close(): Promise<void> }, log: Log, limitMs = shutdownLimit): void {
  let closing = false
  const stop = (signal: NodeJS.Signals) => {
    if (closing) process.exit(1)
    closing = true
    startWatchdog(limitMs + watchdogDelay)
    log.info({ signal }, 'stopping')
    // Also keeps the process until closing is over: what that waits for may keep nothing.
    setTimeout(() => {
      log.error('stopping took too long')
      process.exit(1)
    }, limitMs)
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
