import { execFile } from 'node:child_process'
import type { Environment } from '@hearth/runtime'

/** Time a message to systemd may take, milliseconds. */
const timeout = 10_000

/**
 * Tells systemd that the service is ready, and from then on, three times within the unit's `WatchdogSec`, that its event loop turns.
 * Node has no datagram sockets of the unix kind, so `systemd-notify` carries the messages; the unit needs `NotifyAccess=all`. Does
 * nothing outside a unit with `Type=notify`. A message that fails is told to `warn` and the service goes on.
 */
export function notifySystemd(environment: Environment, warn: (error: Error) => void): void {
  if (!isUnit(environment)) return
  const send = (word: string) => tell(word, warn)
  send('--ready')
  const interval = Number(environment['WATCHDOG_USEC']) / 1000
  // A loop that hangs fires no timer, and systemd starts the service again.
  if (interval > 0) setInterval(() => send('WATCHDOG=1'), interval / 3).unref()
}

/** Tells systemd that the start takes up to so many seconds from now, whatever the unit's `TimeoutStartSec` says. */
export function extendStart(environment: Environment, seconds: number, warn: (error: Error) => void): void {
  if (isUnit(environment)) tell(`EXTEND_TIMEOUT_USEC=${seconds * 1_000_000}`, warn)
}

const isUnit = (environment: Environment): boolean => (environment['NOTIFY_SOCKET'] ?? '') !== ''

function tell(word: string, warn: (error: Error) => void): void {
  execFile('systemd-notify', [word], { timeout }, (error) => {
    if (error !== null) warn(error)
  })
}
