import type { Clock } from '@hearth/runtime'
import type { LogLine } from '../access-log/log-line.ts'
import type { LogPosition } from '../access-log/log-source.ts'
import { addCount, addLine, emptyCount, everySite, type CountKey, type TrafficCount } from './traffic-count.ts'

/** Counts that are not in the database yet, and how far the log was read for them. */
export interface CountBatch {
  readonly counts: readonly { readonly key: CountKey; readonly count: TrafficCount }[]
  /** Time of the last request of each site, milliseconds. */
  readonly lastSeen: ReadonlyMap<number, number>
  readonly position: LogPosition
}

/** Time for which counts are kept, milliseconds, by their span in seconds. */
export const keptFor: ReadonlyMap<number, number> = new Map([
  [60, 6 * 3_600_000 + 60_000],
  [3600, 30 * 86_400_000 + 3_600_000],
])

/** A clock that is ahead by more than this is wrong. */
const farAhead = 3_600_000

/** Collects counts until they are written. */
export class PendingCounts {
  readonly #clock: Clock
  #counts = new Map<string, { key: CountKey; count: TrafficCount }>()
  #lastSeen = new Map<number, number>()
  #position: LogPosition | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Entries that wait to be written. */
  get size(): number {
    return this.#counts.size
  }

  /** Counts a line, unless it is older than counts are kept. */
  add(siteId: number, line: LogLine): void {
    const now = this.#clock.now()
    const at = line.at > now + farAhead ? now : line.at
    for (const [span, kept] of keptFor) {
      if (at < now - kept) continue
      const starts_at = Math.floor(at / (span * 1000)) * span * 1000
      for (const site_id of [siteId, everySite]) addLine(this.#countFor({ site_id, span, starts_at }), line)
    }
    this.#see(siteId, at)
  }

  /** The log was read so far with what was added. */
  moveTo(position: LogPosition): void {
    this.#position = position
  }

  /** Returns the pending counts and starts over; undefined when nothing was read. */
  take(): CountBatch | undefined {
    if (this.#position === undefined) return undefined
    const batch = { counts: [...this.#counts.values()], lastSeen: this.#lastSeen, position: this.#position }
    this.#counts = new Map()
    this.#lastSeen = new Map()
    this.#position = undefined
    return batch
  }

  /** Takes back a batch that could not be written. */
  giveBack(batch: CountBatch): void {
    for (const { key, count } of batch.counts) addCount(this.#countFor(key), count)
    for (const [siteId, at] of batch.lastSeen) this.#see(siteId, at)
    this.#position ??= batch.position
  }

  #countFor(key: CountKey): TrafficCount {
    const name = `${key.site_id} ${key.span} ${key.starts_at}`
    const entry = this.#counts.get(name) ?? { key, count: emptyCount() }
    this.#counts.set(name, entry)
    return entry.count
  }

  #see(siteId: number, at: number): void {
    this.#lastSeen.set(siteId, Math.max(at, this.#lastSeen.get(siteId) ?? 0))
  }
}
