import type { Timers } from '@hearth/runtime'
import type { Link } from './link.ts'

/** Resolves when the link is connected, at once if it is; after `ms` milliseconds in any case. */
export async function waitForConnection(link: Pick<Link, 'status' | 'onConnected'>, timers: Timers, ms: number) {
  if (link.status().state === 'connected') return
  const { promise, resolve } = Promise.withResolvers<void>()
  const ends = [link.onConnected(() => resolve()), timers.after(ms, resolve)]
  await promise
  for (const end of ends) end()
}
