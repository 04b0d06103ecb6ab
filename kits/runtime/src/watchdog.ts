import { Worker } from 'node:worker_threads'

/**
 * Runs in a thread of its own, so that neither an endless loop nor endless microtasks of the main thread delay it. The text is
 * part of this file because a running service may have lost the files it was started from, to an upgrade for instance.
 */
const program = `
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
 * Kills this process with SIGKILL when it still runs after `limitMs` milliseconds, even when its event loop no longer turns.
 * Does not keep the process alive. Costs a thread from this call on, and nothing before.
 */
export function startWatchdog(limitMs: number): void {
  const thread = new Worker(program, { eval: true, env: {}, execArgv: [], workerData: { limitMs } })
  // Without a thread the limit inside the event loop still holds.
  thread.on('error', () => undefined)
  thread.unref()
}
