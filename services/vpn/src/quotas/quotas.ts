import { createKeyedQueue, SettledClock, type Clock, type Log } from '@hearth/runtime'
import type { Reports } from '@hearth/notifications'
import type { Kysely } from 'kysely'
import type { PeerRestriction, PeerLimits } from '../limits/peer-limits.ts'
import { notFound } from '../problems.ts'
import type { PeerQuotaRow, Tables } from '../tables.ts'
import { countsUntil, type Marks, nextTurn, turnMarks, usedSince } from './accounting.ts'
import { quotaEvent } from './quota-event.ts'
import type { PeerQuota, PeerQuotaSet } from './schema.ts'
import * as store from './store.ts'

/** A peer with the bytes it ever sent and received, seen from the server. */
export interface CountedPeer {
  readonly id: string
  readonly name: string
  readonly rx: number
  readonly tx: number
}

export interface QuotaDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly log: Log
  /** A peer as it was sampled last; undefined when there is none. */
  readonly peer: (id: string) => CountedPeer | undefined
  /** Samples a peer at once, so that a count does not begin with what it moved before. */
  readonly sample: (id: string) => Promise<void>
  readonly limits: Pick<PeerLimits, 'refresh'>
  readonly reports: Pick<Reports, 'notify'>
  /** Called when peers came near their quota, used it up or may go on. */
  readonly onChanged: (ids: readonly string[]) => void
}

/** A quota in memory: its row, with the count that the row has as text. */
interface Entry {
  row: PeerQuotaRow
  marks: Marks
  /** Times between which the marks hold as they are: thousands of calendars at every sample would take long. */
  holds?: { readonly marks: Marks; readonly from: number; readonly until: number }
  /** Percentage reached: 0, 80 or 100. */
  level: number
}

/** Traffic quotas of peers, counted from the sampler's totals. */
export class Quotas {
  readonly #dependencies: QuotaDependencies
  readonly #settled: SettledClock
  readonly #queue = createKeyedQueue(1000)
  readonly #entries = new Map<string, Entry>()
  /** Peers whose restriction may be another and is not in force yet. */
  readonly #pending = new Set<string>()

  private constructor(dependencies: QuotaDependencies) {
    this.#dependencies = dependencies
    this.#settled = new SettledClock(dependencies.clock)
  }

  /** Loads the quotas of all peers. The first `check` tells of what happened while the service was away. */
  static async open(dependencies: QuotaDependencies): Promise<Quotas> {
    const quotas = new Quotas(dependencies)
    for (const row of await store.allQuotaRows(dependencies.db)) {
      const entry = { row, marks: JSON.parse(row.marks) as Marks, level: 0 }
      quotas.#entries.set(row.peer_id, entry)
      quotas.#count(entry)
    }
    return quotas
  }

  /** The quota of a peer as the API shows it; null without one. */
  view(id: string): PeerQuota | null {
    const entry = this.#entries.get(id)
    const total = entry && this.#totalOf(entry.row)
    if (entry === undefined || total === undefined) return null
    const { row, marks, level } = entry
    return {
      bytes: row.bytes,
      counts: row.counts,
      period: row.period,
      start_day: row.start_day,
      at_limit: row.at_limit,
      slow_to: row.slow_to === null ? null : row.slow_to / 1000,
      used: usedSince(marks, total),
      state: level === 100 ? 'over' : level === 80 ? 'near' : 'within',
      since: new Date(marks[0].at).toISOString(),
      until: new Date(countsUntil(marks, row, total)).toISOString(),
    }
  }

  /** What a used-up quota does to a peer now; undefined for nothing. */
  restriction(id: string): PeerRestriction | undefined {
    const entry = this.#entries.get(id)
    if (entry?.level !== 100 || entry.row.at_limit === 'notify') return undefined
    return entry.row.at_limit === 'stop' ? 'stop' : { kilobits: entry.row.slow_to ?? 0 }
  }

  /** Sets the quota of a peer. What it counted so far stays, unless it counts something else now. */
  set(id: string, input: PeerQuotaSet): Promise<CountedPeer> {
    return this.#withLock(async () => {
      await this.#dependencies.sample(id)
      const peer = this.#peer(id)
      const before = this.#entries.get(id)
      const { slow_to, ...plain } = input
      const isSameCount = before?.row.counts === input.counts && before.row.period === input.period
      const marks = isSameCount ? before.marks : beginning(this.#dependencies.clock.now(), totalOf(peer, input.counts))
      const kilobits = slow_to === null ? null : Math.round(slow_to * 1000)
      const row = {
        ...plain,
        peer_id: id,
        slow_to: kilobits,
        marks: JSON.stringify(marks),
        told: before?.row.told ?? 0,
      }
      if (!(await store.setQuotaRow(this.#dependencies.db, row))) throw notFound(`peer ${id}`)
      this.#entries.set(id, { row, marks, level: before?.level ?? 0 })
      await this.#checkSome([id], true)
      return peer
    })
  }

  /** Takes the quota of a peer away. */
  remove(id: string): Promise<CountedPeer> {
    return this.#withLock(async () => {
      const peer = this.#peer(id)
      await store.deleteQuotaRow(this.#dependencies.db, id)
      this.#entries.delete(id)
      this.#pending.add(id)
      await this.#restrict()
      return peer
    })
  }

  /** Begins the count of a peer anew. */
  reset(id: string): Promise<CountedPeer> {
    return this.#withLock(async () => {
      await this.#dependencies.sample(id)
      const peer = this.#peer(id)
      const entry = this.#entries.get(id)
      if (entry === undefined) throw notFound(`quota of peer ${id}`)
      entry.marks = beginning(this.#dependencies.clock.now(), totalOf(peer, entry.row.counts))
      await this.#checkSome([id], true)
      return peer
    })
  }

  /** Brings all counts up to date, and tells, slows down, stops or lets go on whom it concerns. To be called after each sample. */
  check(): Promise<void> {
    return this.#entries.size === 0
      ? Promise.resolve()
      : this.#withLock(() => this.#checkSome([...this.#entries.keys()], false))
  }

  async #checkSome(ids: readonly string[], isForced: boolean): Promise<void> {
    const { db, onChanged } = this.#dependencies
    const dirty: Entry[] = []
    const crossed: string[] = []
    for (const id of ids) {
      const entry = this.#entries.get(id)
      if (entry === undefined) continue
      const isCounted = this.#count(entry)
      // The row goes with its peer.
      if (isCounted === undefined) this.#entries.delete(id)
      else if (isForced || isCounted || entry.level !== entry.row.told) dirty.push(entry)
      if (isCounted !== undefined && (entry.level !== entry.row.told || isForced)) crossed.push(id)
    }
    for (const id of crossed) this.#pending.add(id)
    await this.#restrict()
    for (const entry of dirty) {
      const { level, row } = entry
      if (level > row.told) this.#tell(entry)
      entry.row = { ...row, marks: JSON.stringify(entry.marks), told: level }
    }
    await store.updateCounts(
      db,
      dirty.map(({ row }) => row),
    )
    if (crossed.length > 0) onChanged(crossed)
  }

  /** A failure is logged; the next check tries again. */
  async #restrict(): Promise<void> {
    if (this.#pending.size === 0) return
    try {
      await this.#dependencies.limits.refresh([...this.#pending])
      this.#pending.clear()
    } catch (error) {
      this.#dependencies.log.error({ err: error }, 'what quotas say could not be put in force')
    }
  }

  /**
   * Brings one count up to date. Returns true if a period began, undefined when the peer is gone. With a clock that is not believed
   * none begins: a wrong one would begin the count anew, and let those go on whom their quota stops.
   */
  #count(entry: Entry): boolean | undefined {
    const total = this.#totalOf(entry.row)
    if (total === undefined) return undefined
    const now = this.#dependencies.clock.now()
    const { holds, marks: before } = entry
    const isHeld = holds?.marks === before && now >= holds.from && now < holds.until
    if (!isHeld && this.#settled.isSettled()) {
      entry.marks = turnMarks(before, entry.row, { at: now, total })
      entry.holds = { marks: entry.marks, from: now, until: nextTurn(entry.marks, entry.row) }
    }
    const isTurned = entry.marks !== before
    const used = usedSince(entry.marks, total)
    entry.level = used >= entry.row.bytes ? 100 : used >= entry.row.bytes * 0.8 ? 80 : 0
    return isTurned
  }

  #tell({ row }: Entry): void {
    const [peer, quota] = [this.#dependencies.peer(row.peer_id), this.view(row.peer_id)]
    if (peer !== undefined && quota !== null) this.#dependencies.reports.notify(quotaEvent(peer, quota))
  }

  #totalOf(row: PeerQuotaRow): number | undefined {
    const peer = this.#dependencies.peer(row.peer_id)
    return peer && totalOf(peer, row.counts)
  }

  #peer(id: string): CountedPeer {
    const peer = this.#dependencies.peer(id)
    if (peer === undefined) throw notFound(`peer ${id}`)
    return peer
  }

  #withLock<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run('quotas', work)
  }
}

const beginning = (at: number, total: number): Marks => [{ at, total }]

function totalOf({ rx, tx }: CountedPeer, counts: PeerQuotaRow['counts']): number {
  return counts === 'both' ? rx + tx : tx
}
