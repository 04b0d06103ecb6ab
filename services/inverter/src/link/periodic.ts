import type { Log, Timers } from '@hearth/runtime'
import type { Link } from './link.ts'
export interface Periodic {
  status(): { available: boolean; registrations: number; setupFailures: number; lastFailure: string | null }
  refresh(): void
  stop(): Promise<void>
}
export function startPeriodic(_options: {
  link: Link
  address: number | undefined
  objectIds: readonly number[]
  periodSeconds: number
  timers: Timers
  log: Log
  onValue: (objectId: number, payload: Uint8Array) => void
}): Periodic {
  return {
    status: () => ({ available: false, registrations: 0, setupFailures: 0, lastFailure: null }),
    refresh: () => undefined,
    stop: () => Promise.resolve(),
  }
}
