import { setImmediate as pause } from 'node:timers/promises'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { PeerRow, Tables } from '../tables.ts'
import { badRequest, invalidField, notFound } from '../problems.ts'
import { bucketStart, keptFor, steps, type Tier, tiers } from './bucket.ts'
import type { TrafficRecorder } from './recorder.ts'
import type { PeerTraffic, TopTraffic, TopTrafficQuery, Traffic, TrafficQuery } from './schema.ts'
import { type BucketRange, type BucketSum, bucketSums, hasInterfaceTraffic, peerSums, type Whose } from './store.ts'

/** A peer, as history needs it. */
type KnownPeer = Readonly<Pick<PeerRow, 'id' | 'name' | 'interface'>>

export interface HistoryDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly recorder: TrafficRecorder
  readonly peers: {
    peer(id: string): KnownPeer | undefined
    peers(): Iterable<KnownPeer>
  }
}

/** Traffic over time: stored sums with those that the recorder still holds, so that it is up to the last sample. */
export class TrafficHistory {
  readonly #dependencies: HistoryDependencies
  readonly #db: Kysely<Tables>

  constructor(dependencies: HistoryDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
  }

  async ofPeer(id: string, query: Omit<TrafficQuery, 'interface'>): Promise<PeerTraffic> {
    if (this.#dependencies.peers.peer(id) === undefined) throw notFound(`peer ${id}`)
    return { peer_id: id, ...(await this.#series({ id }, query)) }
  }

  /** Traffic of one interface, or of the whole server. */
  async ofAll(query: TrafficQuery): Promise<Traffic> {
    const name = query.interface
    if (name !== undefined && !(await hasInterfaceTraffic(this.#db, name))) throw notFound(`interface ${name}`)
    return { interface: name ?? null, ...(await this.#series({ interface: name }, query)) }
  }

  /** The peers with the most traffic. */
  async top(query: TopTrafficQuery): Promise<TopTraffic> {
    const now = this.#dependencies.clock.now()
    const { start, end } = periodOf(query, tiers.day, now)
    const isShort = end - start <= 31 * 86_400_000 && start >= now - keptFor.hour
    const seconds = isShort ? tiers.hour : tiers.day
    const period = periodOf(query, seconds, now)
    const range = { seconds, from: period.from, until: period.until }
    const totals = await this.#peerTotals(query.interface, range)
    const peers = [...totals].flatMap(([id, sum]) => {
      const peer = this.#dependencies.peers.peer(id)
      const total = sum.rx_bytes + sum.tx_bytes
      if (peer === undefined || total === 0) return []
      return [{ peer_id: id, name: peer.name, interface: peer.interface, ...sum, total_bytes: total }]
    })
    return {
      start: new Date(period.start).toISOString(),
      end: new Date(period.end).toISOString(),
      peers: peers
        .toSorted((a, b) => b.total_bytes - a.total_bytes || (a.peer_id < b.peer_id ? -1 : 1))
        .slice(0, query.limit),
    }
  }

  /** Traffic since midnight, UTC. */
  async today(): Promise<{ rx_bytes: number; tx_bytes: number }> {
    const from = bucketStart(this.#dependencies.clock.now(), tiers.day)
    const [sum] = await this.#sums({}, { seconds: tiers.day, from, until: from + 86_400_000 })
    return { rx_bytes: sum?.rx_bytes ?? 0, tx_bytes: sum?.tx_bytes ?? 0 }
  }

  async #series(whose: Whose, query: Omit<TrafficQuery, 'interface'>) {
    const now = this.#dependencies.clock.now()
    const period = periodOf(query, steps[query.resolution], now)
    const seconds = query.resolution === 'hourly' ? tiers.hour : tiers.day
    const finest = finestTier(period, now)
    const stored = await this.#sums(whose, { ...period, seconds })
    const fine = finest === seconds ? stored : await this.#sums(whose, { ...period, seconds: finest })
    const points = zeroFilled(period, stored)
    const [rx, tx] = [addUp(stored, 'rx_bytes'), addUp(stored, 'tx_bytes')]
    const passed = Math.max(1, (Math.min(period.until, Math.max(now, period.from)) - period.from) / 1000)
    return {
      start: new Date(period.start).toISOString(),
      end: new Date(period.end).toISOString(),
      resolution: query.resolution,
      points,
      totals: {
        rx_bytes: rx,
        tx_bytes: tx,
        average_rate: (rx + tx) / passed,
        peak_rate: fine.reduce((most, sum) => Math.max(most, sum.rx_bytes + sum.tx_bytes), 0) / finest,
        peak_seconds: finest,
        active_seconds: Math.round(addUp(stored, 'active_ms') / 1000),
      },
    }
  }

  /** Reads the stored sums together with those that are not stored yet. */
  #sums(whose: Whose, range: BucketRange): Promise<BucketSum[]> {
    return this.#dependencies.recorder.consistently(async () => {
      const byStart = new Map<number, { -readonly [Key in keyof BucketSum]: BucketSum[Key] }>()
      for (const sum of await bucketSums(this.#db, whose, range)) byStart.set(sum.start, { ...sum })
      for (const { bucket } of this.#dependencies.recorder.unwritten(whose)) {
        const start = bucketStart(bucket.start, range.seconds)
        if (start < range.from || start >= range.until) continue
        const sum = byStart.get(start) ?? { start, rx_bytes: 0, tx_bytes: 0, active_ms: 0 }
        byStart.set(start, sum)
        sum.rx_bytes += bucket.rx
        sum.tx_bytes += bucket.tx
        sum.active_ms += bucket.activeMs
      }
      return [...byStart.values()]
    })
  }

  /** Reads the traffic of every peer in a period; of one interface or of all. */
  #peerTotals(name: string | undefined, range: BucketRange) {
    return this.#dependencies.recorder.consistently(async () => {
      const byPeer = new Map<string, { rx_bytes: number; tx_bytes: number }>()
      const ids = [...this.#dependencies.peers.peers()].flatMap((peer) =>
        peer.interface === (name ?? peer.interface) ? [peer.id] : [],
      )
      const bucketsOfPeer = (range.until - range.from) / (range.seconds * 1000)
      const peersAtOnce = Math.max(1, Math.min(maxPeersAtOnce, Math.floor(bucketsAtOnce / bucketsOfPeer)))
      for (let first = 0; first < ids.length; first += peersAtOnce) {
        const part = ids.slice(first, first + peersAtOnce)
        for (const { peer_id, ...sum } of await peerSums(this.#db, part, range)) byPeer.set(peer_id, sum)
        await pause()
      }
      for (const { id, bucket } of this.#dependencies.recorder.unwritten({ interface: name })) {
        if (id === null || bucket.start < range.from || bucket.start >= range.until) continue
        const { rx_bytes, tx_bytes } = byPeer.get(id) ?? { rx_bytes: 0, tx_bytes: 0 }
        byPeer.set(id, { rx_bytes: rx_bytes + bucket.rx, tx_bytes: tx_bytes + bucket.tx })
      }
      return byPeer
    })
  }
}

/** The shortest buckets that are kept for all of a period, and are not too many of it. */
function finestTier({ from, until }: Period, now: number): Tier {
  if (from >= now - keptFor.fine && until - from <= keptFor.fine + 86_400_000) return tiers.fine
  return from >= now - keptFor.hour ? tiers.hour : tiers.day
}

function addUp(found: readonly BucketSum[], member: 'rx_bytes' | 'tx_bytes' | 'active_ms'): number {
  return found.reduce((sum, bucket) => sum + bucket[member], 0)
}

function zeroFilled({ from, until, seconds }: Period, found: readonly BucketSum[]) {
  const points = Array.from({ length: (until - from) / (seconds * 1000) }, (_, index) => ({
    time: new Date(from + index * seconds * 1000).toISOString(),
    rx_bytes: 0,
    tx_bytes: 0,
  }))
  for (const sum of found) {
    const point = points[Math.floor((sum.start - from) / (seconds * 1000))]
    if (point === undefined) continue
    point.rx_bytes += sum.rx_bytes
    point.tx_bytes += sum.tx_bytes
  }
  return points
}

/** Buckets that are added up by one statement, and peers it names at most; other work runs between two of them. */
const [bucketsAtOnce, maxPeersAtOnce] = [20_000, 500]

/** The buckets of one answer, milliseconds since the epoch: from the first one's begin to the last one's end. */
interface Period {
  /** Requested period. */
  readonly start: number
  readonly end: number
  /** Begin of the first bucket, and end of the last one. */
  readonly from: number
  readonly until: number
  /** Length of a bucket, seconds. */
  readonly seconds: number
}

/** Points of one answer; more is refused. */
export const maxPoints = 10_000

/**
 * The whole buckets that a period touches. Without `end` it ends now, without `start` it is the 24 hours to its end, in as many
 * buckets. Throws 400 for a period that ends before it begins, 422 for one of too many buckets.
 */
export function periodOf(
  query: { readonly start?: number | undefined; readonly end?: number | undefined },
  seconds: number,
  now: number,
): Period {
  const end = query.end ?? now
  const start = query.start ?? Math.min(bucketStart(end, steps.hourly) - 23 * 3_600_000, end - 1)
  if (start >= end) throw badRequest('start must be before end')
  const length = seconds * 1000
  const from = bucketStart(start, seconds)
  const until = bucketStart(end - 1, seconds) + length
  const count = (until - from) / length
  if (count > maxPoints)
    throw invalidField('start', `makes ${count} points; ask for at most ${maxPoints}, or a coarser resolution`)
  return { start, end, from, until, seconds }
}
