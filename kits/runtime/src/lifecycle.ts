import type { Log } from './log.ts'

/** How long a service may take to finish its work after it was asked to stop, milliseconds. */
export const shutdownLimit = 20_000

/**
 * Runs until SIGTERM or SIGINT, then closes and ends the process with 0; with 1 when closing fails or takes longer than the
 * limit. A second signal does not wait.
 */
export function closeOnSignal(service: { close(): Promise<void> }, log: Log): void {
  let closing = false
  const stop = (signal: NodeJS.Signals) => {
    if (closing) process.exit(1)
    closing = true
    log.info({ signal }, 'stopping')
    // Also keeps the process until closing is over: what that waits for may keep nothing.
    setTimeout(() => {
      log.error('stopping took too long')
      process.exit(1)
    }, shutdownLimit)
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
