import { Worker } from 'node:worker_threads'
import type { Log } from './log.ts'

/** Time that a service has to finish its work after the signal to stop, milliseconds. */
export const shutdownLimit = 20_000

/** Delay of the watchdog after the limit, milliseconds: a working event loop exits by itself before that. */
const watchdogDelay = 500

/**
 * Runs until SIGTERM or SIGINT, then closes and ends the process with 0; with 1 when closing fails or takes longer than the
 * limit. A process with a blocked event loop is killed soon after the limit. A second signal does not wait.
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
    // Also keeps the process alive until close has ended, which may wait on unreferenced timers.
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

/**
 * Runs in a thread of its own, so that neither an endless loop nor endless microtasks of the main thread delay it. The text is
 * part of this file because a running service may have lost the files it was started from, to an upgrade for instance.
 */
const watchdogProgram = `
  const { writeSync } = require('node:fs')
  const { workerData: { limitMs } } = require('node:worker_threads')
  setTimeout(() => {
    try {
      writeSync(2, 'hearth did not stop within ' + limitMs / 1000 + ' s and is killed: its event loop does not answer\\n')
    } finally {
      process.kill(process.pid, 'SIGKILL')
    }
  }, limitMs)`

/**
 * Kills this process with SIGKILL when it still runs after `limitMs` milliseconds, even when its event loop is blocked. Does
 * not keep the process alive. Costs a thread from this call on, and nothing before.
 */
function startWatchdog(limitMs: number): void {
  const thread = new Worker(watchdogProgram, { eval: true, env: {}, execArgv: [], workerData: { limitMs } })
  // Without a thread the limit inside the event loop still holds.
  thread.on('error', () => undefined)
  thread.unref()
}
