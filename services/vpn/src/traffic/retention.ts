import { setImmediate as pause } from 'node:timers/promises'
import type { Database } from '@hearth/database'
import type { Clock, Log } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import { keptFor, tiers } from './bucket.ts'
import { deleteInterfaceBuckets, deletePeerBuckets } from './store.ts'

const interval = 3_600_000
const day = 86_400_000

/** Peers whose old buckets are deleted by one statement, so that none takes long. */
const peersAtOnce = 200

export interface RetentionParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly log: Log
  /** Ids of all peers. */
  readonly peers: () => Iterable<string>
  /** The setting `metrics_retention_days`; 0 is for ever. */
  readonly retentionDays: () => number
  /** Others that keep something for as long, and throw away what began before a moment. */
  readonly others: readonly ((before: number) => Promise<void>)[]
}

/** The moment before which buckets of a length are thrown away; null for never. */
export function keptSince(seconds: number, retentionDays: number, now: number): number | null {
  const limits = [
    ...(seconds === tiers.fine ? [keptFor.fine] : seconds === tiers.hour ? [keptFor.hour] : []),
    ...(retentionDays > 0 ? [retentionDays * day] : []),
  ]
  return limits.length === 0 ? null : now - Math.min(...limits)
}

/** Throws away what is older than it is to be kept. */
export async function deleteOldTraffic(parts: RetentionParts): Promise<void> {
  const { database, clock } = parts
  const [now, ids] = [clock.now(), [...parts.peers()]]
  for (const seconds of Object.values(tiers)) {
    const until = keptSince(seconds, parts.retentionDays(), now)
    if (until === null) continue
    await deleteInterfaceBuckets(database.query, { seconds, until })
    for (let first = 0; first < ids.length; first += peersAtOnce) {
      await deletePeerBuckets(database.query, ids.slice(first, first + peersAtOnce), { seconds, until })
      await pause()
    }
  }
  const until = keptSince(tiers.hour, parts.retentionDays(), now)
  for (const other of parts.others) if (until !== null) await other(until)
}

/** Deletes old figures regularly. */
export interface Retention {
  /** The retention changed: older figures are deleted at once. */
  changed(): void
  close(): Promise<void>
}

/**
 * Does that every hour until closed. An hour in which the clock was set by more than that is passed over: with a wrong clock
 * everything is old.
 */
export function startRetention(parts: RetentionParts): Retention {
  const { clock, log } = parts
  let last = { wall: clock.now(), steady: clock.monotonic() }
  let running = Promise.resolve()
  const timer = setInterval(() => {
    const next = { wall: clock.now(), steady: clock.monotonic() }
    const isSteady = Math.abs(next.wall - last.wall - (next.steady - last.steady)) < interval
    last = next
    if (!isSteady) return
    clear()
  }, interval)
  timer.unref()

  function clear(): void {
    running = running
      .then(() => deleteOldTraffic(parts))
      .catch((error: unknown) => log.error({ err: error }, 'clearing old traffic failed'))
  }

  return {
    changed: clear,
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
