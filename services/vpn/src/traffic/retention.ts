import { setImmediate as pause } from 'node:timers/promises'
import type { Database } from '@hearth/database'
import { SettledClock, type Clock, type Log } from '@hearth/runtime'
import type { Tables } from '../tables.ts'
import { keptFor, tiers } from './bucket.ts'
import { deleteInterfaceBuckets, deletePeerBuckets } from './store.ts'

const interval = 3_600_000
const day = 86_400_000

/** Peers whose old buckets are deleted by one statement, so that none takes long. */
const peersAtOnce = 200

export interface RetentionDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  /** Ids of all peers. */
  readonly peers: () => Iterable<string>
  /** The setting `metrics_retention_days`; 0 is for ever. */
  readonly retentionDays: () => number
  /** Further stores, which delete entries from before a time with the same retention, or by one of their own. */
  readonly others: readonly ((before: number) => Promise<void>)[]
}

/** The time before which buckets of a length are deleted; null for never. */
export function keptSince(seconds: number, retentionDays: number, now: number): number | null {
  const limits = [
    ...(seconds === tiers.fine ? [keptFor.fine] : seconds === tiers.hour ? [keptFor.hour] : []),
    ...(retentionDays > 0 ? [retentionDays * day] : []),
  ]
  return limits.length === 0 ? null : now - Math.min(...limits)
}

/** Deletes buckets past their retention. */
export async function deleteOldTraffic(dependencies: RetentionDependencies): Promise<void> {
  const { database, clock } = dependencies
  const [now, ids] = [clock.now(), [...dependencies.peers()]]
  for (const seconds of Object.values(tiers)) {
    const until = keptSince(seconds, dependencies.retentionDays(), now)
    if (until === null) continue
    await deleteInterfaceBuckets(database.query, { seconds, until })
    for (let first = 0; first < ids.length; first += peersAtOnce) {
      await deletePeerBuckets(database.query, ids.slice(first, first + peersAtOnce), { seconds, until })
      await pause()
    }
  }
  const until = keptSince(tiers.hour, dependencies.retentionDays(), now)
  for (const other of dependencies.others) if (until !== null) await other(until)
}

/** Deletes old traffic every hour until closed, by a clock that is believed: with a wrong one everything looks old. */
export function startRetention(dependencies: RetentionDependencies) {
  const { clock, log } = dependencies
  const settled = new SettledClock(clock)
  let running = Promise.resolve()
  const timer = setInterval(() => {
    if (settled.isSettled()) clear()
  }, interval)
  timer.unref()

  function clear(): void {
    running = running
      .then(() => deleteOldTraffic(dependencies))
      .catch((error: unknown) => log.error({ err: error }, 'clearing old traffic failed'))
  }

  return {
    /** The retention is another one: older figures are deleted at once, or within two hours of a jump of the clock. */
    changed(): void {
      if (!settled.hasJumped()) clear()
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await running
    },
  }
}
