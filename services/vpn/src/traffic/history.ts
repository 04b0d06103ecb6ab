import { setImmediate as pause } from 'node:timers/promises'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import { notFound } from '../problems.ts'
import { bucketStart, keptFor, steps, tiers, type Tier } from './bucket.ts'
import { periodOf, type Period } from './period.ts'
import type { TrafficRecorder } from './recorder.ts'
import type { PeerTraffic, TopTraffic, TopTrafficQuery, Traffic, TrafficQuery } from './schema.ts'
import { bucketSums, hasInterfaceTraffic, peerSums, type BucketRange, type BucketSum, type Whose } from './store.ts'

/** A peer, as history needs it. */
interface KnownPeer {
  readonly id: string
  readonly name: string
  readonly interface: string
}

/** Traffic over time: stored sums with those that the recorder still holds, so that it is up to the last sample. */
export interface TrafficHistory {
  ofPeer(id: string, query: Omit<TrafficQuery, 'interface'>): Promise<PeerTraffic>
  /** Of one interface, or of the whole server. */
  ofAll(query: TrafficQuery): Promise<Traffic>
  top(query: TopTrafficQuery): Promise<TopTraffic>
  /** Since midnight, UTC. */
  today(): Promise<{ rx_bytes: number; tx_bytes: number }>
}

export interface HistoryParts {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly recorder: TrafficRecorder
  readonly peers: {
    peer(id: string): KnownPeer | undefined
    peers(): Iterable<KnownPeer>
  }
}

export function createTrafficHistory(parts: HistoryParts): TrafficHistory {
  const { clock } = parts
  return {
    async ofPeer(id, query) {
      if (parts.peers.peer(id) === undefined) throw notFound(`peer ${id}`)
      return { peer_id: id, ...(await seriesOf(parts, { id }, query)) }
    },
    async ofAll(query) {
      const name = query.interface
      if (name !== undefined && !(await hasInterfaceTraffic(parts.database.query, name)))
        throw notFound(`interface ${name}`)
      return { interface: name ?? null, ...(await seriesOf(parts, { interface: name }, query)) }
    },
    top: (query) => topOf(parts, query),
    async today() {
      const from = bucketStart(clock.now(), tiers.day)
      const [sum] = await sums(parts, {}, { seconds: tiers.day, from, until: from + 86_400_000 })
      return { rx_bytes: sum?.rx_bytes ?? 0, tx_bytes: sum?.tx_bytes ?? 0 }
    },
  }
}

async function seriesOf(parts: HistoryParts, whose: Whose, query: Omit<TrafficQuery, 'interface'>) {
  const now = parts.clock.now()
  const period = periodOf(query, steps[query.resolution], now)
  const seconds = query.resolution === 'hourly' ? tiers.hour : tiers.day
  const finest = finestTier(period, now)
  const stored = await sums(parts, whose, { ...period, seconds })
  const fine = finest === seconds ? stored : await sums(parts, whose, { ...period, seconds: finest })
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

/** The shortest buckets that are kept for all of a period, and are not too many of it. */
function finestTier({ from, until }: Period, now: number): Tier {
  if (from >= now - keptFor.fine && until - from <= keptFor.fine + 86_400_000) return tiers.fine
  return from >= now - keptFor.hour ? tiers.hour : tiers.day
}

/** Reads the stored sums together with those that are not stored yet. */
function sums(parts: HistoryParts, whose: Whose, range: BucketRange): Promise<BucketSum[]> {
  return parts.recorder.consistently(async () => {
    const byStart = new Map<number, { -readonly [Key in keyof BucketSum]: BucketSum[Key] }>()
    for (const sum of await bucketSums(parts.database.query, whose, range)) byStart.set(sum.start, { ...sum })
    for (const { bucket } of parts.recorder.unwritten(whose)) {
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

async function topOf(parts: HistoryParts, query: TopTrafficQuery): Promise<TopTraffic> {
  const now = parts.clock.now()
  const { start, end } = periodOf(query, tiers.day, now)
  const isShort = end - start <= 31 * 86_400_000 && start >= now - keptFor.hour
  const seconds = isShort ? tiers.hour : tiers.day
  const period = periodOf(query, seconds, now)
  const range = { seconds, from: period.from, until: period.until }
  const totals = await peerTotals(parts, query.interface, range)
  const peers = [...totals].flatMap(([id, sum]) => {
    const peer = parts.peers.peer(id)
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

/** Buckets that are added up by one statement, and peers it names at most; between two of them others have their turn. */
const [bucketsAtOnce, mostPeersAtOnce] = [20_000, 500]

/** Reads the traffic of every peer in a period; of one interface or of all. */
function peerTotals(parts: HistoryParts, name: string | undefined, range: BucketRange) {
  return parts.recorder.consistently(async () => {
    const byPeer = new Map<string, { rx_bytes: number; tx_bytes: number }>()
    const ids = [...parts.peers.peers()].flatMap((peer) =>
      peer.interface === (name ?? peer.interface) ? [peer.id] : [],
    )
    const bucketsOfPeer = (range.until - range.from) / (range.seconds * 1000)
    const peersAtOnce = Math.max(1, Math.min(mostPeersAtOnce, Math.floor(bucketsAtOnce / bucketsOfPeer)))
    for (let first = 0; first < ids.length; first += peersAtOnce) {
      const part = ids.slice(first, first + peersAtOnce)
      for (const { peer_id, ...sum } of await peerSums(parts.database.query, part, range)) byPeer.set(peer_id, sum)
      await pause()
    }
    for (const { id, bucket } of parts.recorder.unwritten({ interface: name })) {
      if (id === null || bucket.start < range.from || bucket.start >= range.until) continue
      const { rx_bytes, tx_bytes } = byPeer.get(id) ?? { rx_bytes: 0, tx_bytes: 0 }
      byPeer.set(id, { rx_bytes: rx_bytes + bucket.rx, tx_bytes: tx_bytes + bucket.tx })
    }
    return byPeer
  })
}
