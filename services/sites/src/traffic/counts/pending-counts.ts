import type { LogLine } from '../access-log/log-line.ts'
import type { LogPosition } from '../access-log/log-position.ts'
import { addCount, addLine, emptyCount, everySite, type CountKey, type TrafficCount } from './traffic-count.ts'

/** Counts that are not in the database yet, and how far the log was read for them. */
export interface CountBatch {
  readonly counts: readonly { readonly key: CountKey; readonly count: TrafficCount }[]
  /** When each site was last asked for something, milliseconds. */
  readonly lastSeen: ReadonlyMap<number, number>
  readonly position: LogPosition
}

/** Collects counts until they are written. */
export interface PendingCounts {
  add(siteId: number, line: LogLine): void
  /** The log was read so far with what was added. */
  moveTo(position: LogPosition): void
  /** Hands over what there is and begins anew; undefined when nothing was read. */
  take(): CountBatch | undefined
  /** Takes back a batch that could not be written. */
  giveBack(batch: CountBatch): void
}

const spans = [60, 3600]

export function createPendingCounts(): PendingCounts {
  let counts = new Map<string, { key: CountKey; count: TrafficCount }>()
  let lastSeen = new Map<number, number>()
  let position: LogPosition | undefined

  function countFor(key: CountKey): TrafficCount {
    const name = `${key.site_id} ${key.span} ${key.starts_at}`
    const entry = counts.get(name) ?? { key, count: emptyCount() }
    counts.set(name, entry)
    return entry.count
  }

  return {
    add(siteId, line) {
      for (const span of spans) {
        const starts_at = Math.floor(line.at / (span * 1000)) * span * 1000
        for (const site_id of [siteId, everySite]) addLine(countFor({ site_id, span, starts_at }), line)
      }
      lastSeen.set(siteId, Math.max(line.at, lastSeen.get(siteId) ?? 0))
    },
    moveTo(next) {
      position = next
    },
    take() {
      if (position === undefined) return undefined
      const batch = { counts: [...counts.values()], lastSeen, position }
      counts = new Map()
      lastSeen = new Map()
      position = undefined
      return batch
    },
    giveBack(batch) {
      for (const { key, count } of batch.counts) addCount(countFor(key), count)
      for (const [siteId, at] of batch.lastSeen) lastSeen.set(siteId, Math.max(at, lastSeen.get(siteId) ?? 0))
      position ??= batch.position
    },
  }
}
