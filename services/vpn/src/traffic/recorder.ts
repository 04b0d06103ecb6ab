import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { addToBucket, bucketStart, emptyBucket, tiers, type Amount, type Bucket } from './bucket.ts'
import { addTraffic } from './store.ts'

/** Traffic of a peer since the last sample. */
export interface Counted extends Amount {
  readonly id: string
  readonly interface: string
  /** Host that it connects from, without port; empty when it is not known. */
  readonly host: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A fine bucket that is over, and whose it is; the peer is null when it was deleted meanwhile. */
export interface ClosedBucket {
  readonly id: string | null
  readonly interface: string
  readonly bucket: Bucket
}

/** Further consumers of the buckets, called in the transaction that writes them. */
export type OnClosed = (trx: Kysely<Tables>, closed: readonly ClosedBucket[]) => Promise<void>

interface PeerBuckets {
  readonly interface: string
  open: Bucket | undefined
  /** Over, and not written yet. */
  closed: Bucket[]
}

/** Buckets of a peer that has not been written for long, because the database is away, are merged beyond this. */
const maxClosed = 24

/**
 * Keeps the fine bucket every peer is in, in memory, and writes those that are over together with the totals they were
 * counted into. What is in memory is not lost with the process: the totals say how much of them stands in buckets.
 */
export class TrafficRecorder {
  readonly #peers = new Map<string, PeerBuckets>()
  /** Peers with closed buckets, those that wait longest first. */
  readonly #waiting = new Set<string>()
  /** Buckets of deleted peers, for their interfaces. */
  #orphans: ClosedBucket[] = []
  #written: ClosedBucket[] = []
  /** Buckets of a write that failed, until `settle` says whether the database has them. */
  #uncertain: ClosedBucket[] = []
  #sweptAt = Number.NaN
  #generation = 0
  #writing: PromiseWithResolvers<void> | undefined
  readonly #onClosed: OnClosed | undefined

  constructor(onClosed?: OnClosed) {
    this.#onClosed = onClosed
  }

  /** Adds what a peer did to the bucket of that time; an earlier time than before, after a jump of the clock, has its own. */
  count(counted: Counted): void {
    const peer = this.#peers.get(counted.id) ?? { interface: counted.interface, open: undefined, closed: [] }
    this.#peers.set(counted.id, peer)
    const start = bucketStart(counted.at, tiers.fine)
    if (peer.open?.start !== start) {
      this.#close(counted.id, peer)
      peer.open = emptyBucket(start)
    }
    addToBucket(peer.open, counted, counted.host)
  }

  /** Drops a deleted peer; its interface keeps the traffic. */
  forget(id: string): void {
    const peer = this.#peers.get(id)
    if (peer === undefined) return
    this.#close(id, peer)
    this.#orphans.push(...peer.closed.map((bucket) => ({ id: null, interface: peer.interface, bucket })))
    this.#peers.delete(id)
    this.#waiting.delete(id)
  }

  /** Returns at most so many peers whose bucket is over, those that wait longest first: thousands end at the same time. */
  due(at: number, max: number): string[] {
    const start = bucketStart(at, tiers.fine)
    if (start !== this.#sweptAt) {
      this.#sweptAt = start
      for (const [id, peer] of this.#peers) if (peer.open?.start !== start) this.#close(id, peer)
    }
    return this.#waiting.values().take(max).toArray()
  }

  /** Closes all buckets, so that everything can be written; a bucket that starts again is added up. */
  closeAll(): string[] {
    for (const [id, peer] of this.#peers) this.#close(id, peer)
    return [...this.#waiting]
  }

  /** Returns true if deleted peers left something to write. */
  hasOrphans(): boolean {
    return this.#orphans.length > 0
  }

  /** Returns the closed buckets of a peer, which the next `write` writes: their number and bytes. */
  closedOf(id: string): { rx: number; tx: number; count: number } {
    const closed = this.#peers.get(id)?.closed ?? []
    const sum = { rx: 0, tx: 0, count: closed.length }
    for (const bucket of closed) {
      sum.rx += bucket.rx
      sum.tx += bucket.tx
    }
    return sum
  }

  /** Writes the closed buckets of these peers; `end` must follow, with whether the transaction was committed. */
  async write(trx: Kysely<Tables>, ids: Iterable<string>): Promise<void> {
    this.#writing = Promise.withResolvers()
    this.#generation += 1
    this.#written = this.#orphans.splice(0)
    for (const id of ids) {
      const peer = this.#peers.get(id)
      if (peer === undefined || peer.closed.length === 0) continue
      for (const bucket of peer.closed) this.#written.push({ id, interface: peer.interface, bucket })
      peer.closed = []
      this.#waiting.delete(id)
    }
    if (this.#written.length === 0) return
    await addTraffic(trx, this.#written)
    await this.#onClosed?.(trx, this.#written)
  }

  /** Ends a write: its buckets are stored, or in doubt until `settle`, which must come before the next write. */
  end(isCommitted: boolean): void {
    this.#generation += 1
    const written = this.#written.splice(0)
    if (!isCommitted) this.#uncertain.push(...written)
    this.#writing?.resolve()
    this.#writing = undefined
  }

  /** Ends the doubt about a write that failed: its buckets are stored all the same, or are to be written again. */
  settle(isCommitted: boolean): void {
    this.#generation += 1
    const uncertain = this.#uncertain.splice(0)
    if (isCommitted) return
    for (const { id, interface: name, bucket } of uncertain) {
      const peer = id === null ? undefined : this.#peers.get(id)
      if (peer === undefined || id === null) this.#orphans.push({ id: null, interface: name, bucket })
      else {
        peer.closed.push(bucket)
        this.#waiting.add(id)
      }
    }
  }

  /** Every bucket that is not in the database; of one peer, one interface, or all. */
  *unwritten(of: { id?: string | undefined; interface?: string | undefined }): Generator<ClosedBucket> {
    for (const [id, peer] of of.id === undefined ? this.#peers : this.#one(of.id)) {
      if (of.interface !== undefined && peer.interface !== of.interface) continue
      for (const bucket of peer.closed) yield { id, interface: peer.interface, bucket }
      if (peer.open !== undefined) yield { id, interface: peer.interface, bucket: peer.open }
    }
    for (const closed of [...this.#uncertain, ...(of.id === undefined ? this.#orphans : [])]) {
      if (of.interface !== undefined && closed.interface !== of.interface) continue
      if (of.id === undefined || closed.id === of.id) yield closed
    }
  }

  /**
   * Reads the database and memory as they belong together: nothing was written in between, so that no byte is seen twice or
   * not at all. Gives up waiting for that after a few attempts; the answer then trails by one writing.
   */
  async consistently<T>(read: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#writing?.promise
      const generation = this.#generation
      const answer = await read()
      if (generation === this.#generation || attempt === 5) return answer
    }
  }

  #one(id: string): [string, PeerBuckets][] {
    const peer = this.#peers.get(id)
    return peer === undefined ? [] : [[id, peer]]
  }

  #close(id: string, peer: PeerBuckets): void {
    const { open, closed } = peer
    peer.open = undefined
    if (open === undefined || (open.rx === 0 && open.tx === 0 && open.activeMs === 0)) return
    const last = closed.length < maxClosed ? undefined : closed.at(-1)
    if (last === undefined) closed.push(open)
    else {
      last.activeMs += open.activeMs
      for (const { host, rx, tx } of open.from) addToBucket(last, { rx, tx, activeMs: 0 }, host)
    }
    this.#waiting.add(id)
  }
}
