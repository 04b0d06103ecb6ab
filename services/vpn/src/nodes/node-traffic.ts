import { createKeyedQueue, type Clock, type Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { CountedTraffic, NodeRates } from '../peers/counted-traffic.ts'
import type { Sampler } from '../peers/sampler.ts'
import type { Tables } from '../tables.ts'
import type { Report, TrafficBatch } from './link-schema.ts'
import * as store from './store.ts'
import type { NodeRow } from './tables.ts'
import { TrafficBudget } from './traffic-budget.ts'

export interface NodeTrafficDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
  readonly sampler: Pick<Sampler, 'takeCounted'>
  readonly rates: Pick<NodeRates, 'report'>
  /** Called with public keys that wait to replace others and were used. */
  readonly onNextKeysUsed: (keys: readonly string[]) => void
}

/** A key that left its node still counts for so long, milliseconds: the node reports what it counted before. */
const leavingMs = 600_000
/** Counted traffic is this old at most, milliseconds. */
const oldestMs = 366 * 86_400_000

const isEndpoint = (text: string): boolean => /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:.%]+\]):\d{1,5}$/.test(text)

/** Counts what nodes report of their peers, each batch once. */
export class NodeTraffic {
  readonly #dependencies: NodeTrafficDependencies
  /** Two reports of a node at once would both find a batch new. */
  readonly #queue = createKeyedQueue(20)
  readonly #budget = new TrafficBudget()
  /** Of each node the batches that failed to be written; the connection may have broken when they were. */
  readonly #uncertain = new Map<string, UncertainBatches>()
  /** Owners of keys by node and key, as they were found last. */
  readonly #recent = new Map<string, { readonly owner: store.NodePeerRow; readonly at: number }>()

  constructor(dependencies: NodeTrafficDependencies) {
    this.#dependencies = dependencies
  }

  /** Counts the batches of a report that are new. Returns the number of the last one that is written down; null when none came. */
  take(node: NodeRow, { traffic, sent_at: sentAt }: Report): Promise<number | null> {
    if (traffic === undefined) return Promise.resolve(null)
    return this.#queue.run(node.id, async () => {
      const { db, clock } = this.#dependencies
      const held = await store.findNodeRow(db, node.id)
      const last = held?.traffic_count === traffic.count ? (held.traffic_number ?? 0) : 0
      await this.#followUncertain(node.id, { count: traffic.count, number: last })
      const now = clock.now()
      const fresh = newBatches(traffic.batches, last)
      const number = fresh.at(-1)?.number
      if (number === undefined) return last
      const times = { now, offset: offsetOf(now - (sentAt ?? now)) }
      const counted = await this.#countedOf(node, fresh, times)
      const { count } = traffic
      try {
        await this.#dependencies.sampler.takeCounted(counted, (trx) =>
          store.updateNodeRow(trx, node.id, { traffic_count: count, traffic_number: number }),
        )
      } catch (error) {
        this.#uncertain.set(node.id, { count, number, counted })
        throw error
      }
      this.#reportRate(node, counted, now)
      return number
    })
  }

  /** Lets the sampler know of batches that were written after all: the number of the last one stands beside them. */
  async #followUncertain(nodeId: string, last: Omit<UncertainBatches, 'counted'>): Promise<void> {
    const uncertain = this.#uncertain.get(nodeId)
    if (uncertain?.count === last.count && uncertain.number <= last.number)
      await this.#dependencies.sampler.takeCounted(uncertain.counted)
    this.#uncertain.delete(nodeId)
  }

  /** The traffic of peers that are on this node, or were just now; what is about others is left out. */
  async #countedOf(node: NodeRow, batches: readonly TrafficBatch[], times: Times): Promise<CountedTraffic[]> {
    const keys = [...new Set(batches.flatMap(({ peers }) => peers.map((peer) => peer.public_key)))]
    const owners = await this.#ownersOf(node.id, keys, times.now)
    const used = new Set<string>()
    let absurd = 0
    const counted = batches.flatMap((batch) => {
      const at = placed(batch.at, times)
      return batch.peers.flatMap((entry): CountedTraffic[] => {
        const owner = owners.get(entry.public_key)
        if (owner === undefined || owner.interface !== entry.interface) return []
        if (!this.#budget.take(node, entry.rx + entry.tx, times.now)) {
          absurd += 1
          return []
        }
        if (owner.next_public_key === entry.public_key && entry.rx > 0) used.add(entry.public_key)
        return [countedOf(owner.id, entry, { at, times })]
      })
    })
    if (absurd > 0)
      this.#dependencies.log.warn({ node: node.name, entries: absurd }, 'a node reports more traffic than can be')
    if (used.size > 0) this.#dependencies.onNextKeysUsed([...used])
    return counted
  }

  async #ownersOf(nodeId: string, keys: readonly string[], now: number): Promise<Map<string, store.NodePeerRow>> {
    for (const [key, { at }] of this.#recent) if (now - at > leavingMs) this.#recent.delete(key)
    const rows = await store.peersOfNode(this.#dependencies.db, nodeId, keys)
    for (const owner of rows) for (const key of keysOf(owner)) this.#recent.set(`${nodeId} ${key}`, { owner, at: now })
    const owners = keys.flatMap((key) => {
      const recent = this.#recent.get(`${nodeId} ${key}`)
      return recent === undefined ? [] : [[key, recent.owner] as const]
    })
    return new Map(owners)
  }

  /** Only what was moved just now is a rate. */
  #reportRate(node: NodeRow, counted: readonly CountedTraffic[], now: number): void {
    const recent = counted.filter(({ at }) => now - at < 60_000)
    const [rx, tx] = [sum(recent.map((one) => one.rx)), sum(recent.map((one) => one.tx))]
    const seconds = Math.min(60, Math.max(30, (now - (node.last_seen_at ?? now)) / 1000))
    this.#dependencies.rates.report(node.id, { rx, tx }, { seconds, now })
  }
}

interface UncertainBatches {
  /** The count that the numbers belong to, and the last number. */
  readonly count: string
  readonly number: number
  readonly counted: readonly CountedTraffic[]
}

interface Times {
  readonly now: number
  /** Time of this host less that of the node. */
  readonly offset: number
}

/** A difference that the way of a report explains is none. */
const offsetOf = (difference: number): number => (Math.abs(difference) < 2000 ? 0 : difference)

/** A time of the node by the clock of this host: not in the future, and not absurdly old. */
const placed = (time: number, { now, offset }: Times): number => Math.min(now, Math.max(now - oldestMs, time + offset))

/** The batches after a number, in their order; of two with one number the first. */
function newBatches(batches: readonly TrafficBatch[], last: number): TrafficBatch[] {
  const sorted = batches.toSorted((a, b) => a.number - b.number)
  return sorted.filter(({ number }, index) => number > last && number !== sorted[index - 1]?.number)
}

function countedOf(
  id: string,
  { rx, tx, latest_handshake: handshake, endpoint }: TrafficBatch['peers'][number],
  { at, times }: { readonly at: number; readonly times: Times },
): CountedTraffic {
  const latestHandshake = handshake === null || handshake === 0 ? null : Math.min(times.now, handshake + times.offset)
  return { id, at, rx, tx, latestHandshake, endpoint: endpoint !== null && isEndpoint(endpoint) ? endpoint : null }
}

const keysOf = ({ public_key: key, next_public_key: next }: store.NodePeerRow): string[] =>
  next === null ? [key] : [key, next]

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
