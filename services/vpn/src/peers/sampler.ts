import { createKeyedQueue } from '@hearth/runtime'
import type { InterfaceRow, PeerRow } from '../tables.ts'
import type { DeviceState } from '../wireguard/device.ts'
import { DeviceReader } from './device-reader.ts'
import { type AlsoWrite, type FollowedPeerRow, followedPeerRows, writeActivity } from './activity-store.ts'
import { countedSteps, type CountedTraffic, followStep, measuredBytes, rateOf } from './counted-traffic.ts'
import { hostOfEndpoint } from '../traffic/bucket.ts'
import {
  activityRowOf,
  countTraffic,
  expiredBetween,
  type Followed,
  followedOfPeer,
  followedOfRow,
  type FollowedPeer,
  isConnected,
} from './followed-peer.ts'
import type { SampleReport } from './sample-report.ts'
import type { SamplerDependencies } from './sampler-dependencies.ts'
import { UncertainWrite } from './uncertain-write.ts'
import { dueForWriting } from './writing-order.ts'

/** Maximum time that a peer counts as connected in one round, milliseconds: the machine may have slept in between. */
const maxRoundMs = 300_000

/** Peers of a device that was read; null when it does not exist. */
type Reading = Pick<DeviceState, 'peers'> | null

/** Loads what is known of every peer; reading the devices begins with the first `sample`. */
export async function openSampler(dependencies: SamplerDependencies): Promise<Sampler> {
  const sampler = new Sampler(dependencies)
  sampler.load(await followedPeerRows(dependencies.database.query))
  return sampler
}

/** Reads the devices in turn and keeps what every peer did; the only place counters are added up. */
export class Sampler {
  readonly #dependencies: SamplerDependencies
  /** Readings are taken one after the other: an older one taken late would look like a counter that began again. */
  readonly #turn = createKeyedQueue(100)
  readonly #byId = new Map<string, Followed>()
  readonly #devices: DeviceReader
  #lastRound: number
  #lastReport: SampleReport | undefined
  #expiryChecked: number
  readonly #uncertain: UncertainWrite

  constructor(dependencies: SamplerDependencies) {
    this.#dependencies = dependencies
    this.#devices = new DeviceReader(dependencies)
    this.#uncertain = new UncertainWrite(dependencies)
    this.#lastRound = dependencies.clock.monotonic()
    this.#expiryChecked = dependencies.clock.now()
  }

  load(rows: readonly FollowedPeerRow[]): void {
    const now = this.#dependencies.clock.now()
    for (const row of rows) {
      const peer = followedOfRow(row)
      peer.reported = { ...peer.reported, isConnected: isConnected(peer, now) }
      this.#byId.set(peer.id, peer)
      peer.isOn = this.#dependencies.connections?.load(peer.id, peer.activity) ?? false
      this.#recover(peer, now)
    }
  }

  /** Records traffic that an earlier process counted and did not write into a bucket, at the time of the last handshake. */
  #recover(peer: Followed, now: number): void {
    const { rx_total, tx_total, last_handshake } = peer.activity
    const left = { rx: Math.max(0, rx_total - peer.bucketed.rx), tx: Math.max(0, tx_total - peer.bucketed.tx) }
    if (left.rx > 0 || left.tx > 0) this.#record(peer, { ...left, activeMs: 0 }, Math.min(now, last_handshake ?? now))
  }

  #record(peer: Followed, amount: { rx: number; tx: number; activeMs: number }, at: number): void {
    const { id, interface: name, activity } = peer
    this.#dependencies.traffic?.count({ ...amount, id, interface: name, at, host: hostOfEndpoint(activity.endpoint) })
  }

  /** Starts to follow a peer, or takes over its new name, key and switches. */
  follow(row: PeerRow, on: Pick<InterfaceRow, 'enabled'>): void {
    const known = this.#byId.get(row.id)
    const fresh = followedOfPeer(row, on.enabled)
    if (known === undefined) this.#byId.set(row.id, fresh)
    else {
      const { name, public_key, enabled, expires_at, interface_enabled } = fresh
      Object.assign(known, { name, public_key, enabled, expires_at, interface_enabled })
    }
  }

  /** Takes over whether an interface is meant to run. */
  interfaceChanged({ name, enabled }: Pick<InterfaceRow, 'name' | 'enabled'>): void {
    for (const peer of this.#on(name)) peer.interface_enabled = enabled
  }

  forget(id: string): void {
    this.#byId.delete(id)
    this.#dependencies.traffic?.forget(id)
    this.#dependencies.connections?.forget(id)
  }

  peer(id: string): FollowedPeer | undefined {
    return this.#byId.get(id)
  }

  peers(): IterableIterator<FollowedPeer> {
    return this.#byId.values()
  }

  /** Peers of an interface, for its view. */
  peersOf(name: string): { id: string; isConnected: boolean; rxTotal: number; txTotal: number }[] {
    const now = this.#dependencies.clock.now()
    return this.#on(name).map((peer) => {
      const { rx_total: rxTotal, tx_total: txTotal } = peer.activity
      return { id: peer.id, isConnected: isConnected(peer, now), rxTotal, txTotal }
    })
  }

  #on(name: string): Followed[] {
    return [...this.#byId.values()].filter((peer) => peer.interface === name)
  }

  /** Result of the last round; undefined before the first. */
  lastReport(): SampleReport | undefined {
    return this.#lastReport
  }

  /** One round over all devices. Rounds never overlap. */
  sample(): Promise<SampleReport> {
    return this.#turn.run('sample', () => this.#sampleAll())
  }

  /** Reads one device at once, before its counters go away with it. */
  sampleInterface(name: string): Promise<void> {
    return this.#turn.run('sample', () => this.#sampleOne(name))
  }

  /** Reads peers of an interface at once, before their counters go away with them; writes nothing of others. */
  samplePeers(name: string, ids: readonly string[]): Promise<void> {
    return this.#turn.run('sample', async () => {
      const peers = this.#followed(ids)
      const [first] = peers
      if (first === undefined) return
      const reading =
        peers.length === 1 ? await this.#readPeer(first) : await this.#devices.read(name, (all) => all.read(name))
      await this.#takeBetweenRounds(peers, reading)
    })
  }

  /** Reads one peer as a device with that peer alone; costs the same however many others there are. */
  async #readPeer({ interface: name, public_key: key }: Followed) {
    const state = await this.#devices.read(name, (devices) => devices.readPeer(name, key))
    return state && { peers: new Map([[key, state]]) }
  }

  /** These peers left their device: when they come back, its counters begin at zero. */
  restart(ids: readonly string[]): Promise<void> {
    return this.#turn.run('sample', async () => {
      const peers = this.#followed(ids)
      for (const peer of peers) peer.activity = { ...peer.activity, rx_seen: 0, tx_seen: 0 }
      await this.#write(peers)
    })
  }

  /**
   * Adds traffic that a node counted to the totals, in its order; `also` is written in the same transaction. When that fails,
   * nothing is counted. Without `also` it was written before, although that failed: the connection broke when it was committed.
   */
  takeCounted(traffic: readonly CountedTraffic[], also?: AlsoWrite): Promise<void> {
    return this.#turn.run('sample', async () => {
      await this.#uncertain.settle()
      const steps = countedSteps((id) => this.#byId.get(id), traffic)
      const last = new Map(steps.map(({ peer, after }) => [peer, after]))
      const rows = Array.from(last, ([peer, activity]) => activityRowOf({ ...peer, activity }))
      if (also !== undefined) await writeActivity(this.#dependencies.database.query, rows, also)
      const now = this.#dependencies.clock.now()
      for (const step of steps) {
        if (this.#byId.get(step.peer.id) !== step.peer) continue
        followStep(step, now, this.#dependencies.connections)
        this.#record(step.peer, { ...step.counted, activeMs: 0 }, step.counted.at)
      }
      // Buckets of the past are over; those that are open wait for their end. A round may have written totals without it since.
      const isOver = ({ id }: Followed) => (this.#dependencies.traffic?.closedOf(id).count ?? 0) > 0
      await this.#write([...last.keys()].filter((peer) => also === undefined || isOver(peer)))
    })
  }

  /** Writes down what has not been written yet. */
  flush(): Promise<void> {
    const { traffic, connections } = this.#dependencies
    return this.#turn.run('sample', async () => {
      await this.#uncertain.settle()
      connections?.writeAll()
      await this.#write([
        ...[...this.#byId.values()].filter((peer) => peer.isDirty),
        ...this.#followed(traffic?.closeAll() ?? []),
      ])
    })
  }

  #followed(ids: readonly string[]): Followed[] {
    return ids.map((id) => this.#byId.get(id)).filter((peer) => peer !== undefined)
  }

  async #sampleAll(): Promise<SampleReport> {
    const begin = this.#dependencies.clock.monotonic()
    const now = this.#dependencies.clock.now()
    const readings = await this.#devices.readAll([...this.#byId.values()].map((peer) => peer.interface))
    const sinceLast = begin - this.#lastRound
    const elapsed = Math.min(sinceLast, maxRoundMs)
    const totals = { rx: 0, tx: 0 }
    const changed: Followed[] = []
    const switched: Followed[] = []
    const first: Followed[] = []
    const round = { now, elapsed }
    for (const peer of this.#byId.values()) {
      this.#take(peer, readings.get(peer.interface), round)
      const { activity: before, isConnected: wasConnected } = peer.reported
      const moved = measuredBytes(peer)
      totals.rx += moved.rx
      totals.tx += moved.tx
      peer.fromNode = { rx: 0, tx: 0 }
      peer.reported = { activity: peer.activity, isConnected: peer.isOn }
      const isSwitched = wasConnected !== peer.reported.isConnected
      if (isSwitched) switched.push(peer)
      if (before.last_handshake === null && peer.activity.last_handshake !== null) first.push(peer)
      if (isSwitched || peer.activity !== before) changed.push(peer)
    }
    const { urgent, counters, limit } = dueForWriting(changed, { now, elapsed, count: this.#byId.size })
    const ended = this.#dependencies.traffic?.due(now, Math.max(limit - counters.length, limit >> 2)) ?? []
    await this.#write([...urgent, ...counters, ...this.#followed(ended)])
    this.#lastRound = begin
    this.#lastReport = {
      at: now,
      changed,
      switched,
      first,
      expired: expiredBetween(this.#byId.values(), this.#expiryChecked, now),
      rate: rateOf(totals, sinceLast, this.#dependencies.nodeRates?.sum(now)),
      durationMs: this.#dependencies.clock.monotonic() - begin,
    }
    this.#expiryChecked = now
    return this.#lastReport
  }

  async #sampleOne(name: string): Promise<void> {
    await this.#takeBetweenRounds(this.#on(name), await this.#devices.read(name, (devices) => devices.read(name)))
  }

  async #takeBetweenRounds(peers: readonly Followed[], reading: Reading | undefined): Promise<void> {
    if (reading === undefined) return
    for (const peer of peers) this.#take(peer, reading, { now: this.#dependencies.clock.now(), elapsed: 0 })
    await this.#write(peers.filter((peer) => peer.isDirty))
  }

  /** `elapsed` is the time since the last round; none when only the counters are examined in between. */
  #take(peer: Followed, reading: Reading | undefined, { now, elapsed }: { now: number; elapsed: number }): void {
    const before = peer.activity
    if (reading !== undefined) {
      const next = countTraffic(before, reading?.peers.get(peer.public_key))
      if (next !== before) peer.isDirty = true
      peer.activity = next
    }
    const [rx, tx] = [peer.activity.rx_total - before.rx_total, peer.activity.tx_total - before.tx_total]
    const wasOn = peer.isOn
    peer.isOn = isConnected(peer, now)
    if (wasOn || peer.isOn) this.#dependencies.connections?.observe(peer, before, now)
    const activeMs = peer.isOn ? elapsed : 0
    if (rx > 0 || tx > 0 || activeMs > 0) this.#record(peer, { rx, tx, activeMs }, now)
  }

  /** Totals and the buckets they were counted into become visible together, so that nothing is in one and not in the other. */
  async #write(given: readonly Followed[]): Promise<void> {
    const { traffic, connections, database, clock } = this.#dependencies
    await this.#uncertain.settle()
    const peers = [...new Set(given)]
    if (peers.length === 0 && traffic?.hasOrphans() !== true && connections?.isDue() !== true) return
    const now = clock.now()
    const rows = peers.map((peer) => activityRowOf(peer, traffic?.closedOf(peer.id)))
    let isCommitted = false
    try {
      await writeActivity(database.query, rows, async (trx, ids) => {
        await traffic?.write(trx, ids)
        await connections?.write(trx)
      })
      isCommitted = true
    } catch (error) {
      this.#uncertain.failed(peers, rows)
      throw error
    } finally {
      traffic?.end(isCommitted)
      connections?.end(isCommitted)
    }
    for (const [index, peer] of peers.entries()) {
      peer.isDirty = false
      peer.writtenAt = now
      peer.writtenHandshake = peer.activity.last_handshake
      peer.bucketed = { rx: rows[index]?.rx_bucketed ?? 0, tx: rows[index]?.tx_bucketed ?? 0 }
    }
  }
}
