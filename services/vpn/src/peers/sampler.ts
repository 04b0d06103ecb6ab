import type { Database } from '@hearth/database'
import { createKeyedQueue, type Clock, type Log } from '@hearth/runtime'
import type { PeerActivityRow, PeerRow, Tables } from '../database/tables.ts'
import type { DeviceState } from '../wireguard/device.ts'
import { followedPeerRows, writeActivity, type FollowedPeerRow } from './activity-store.ts'
import { countTraffic, noActivity, type PeerActivity } from './count-traffic.ts'
import { handshakeLifetime, isExpired } from './status.ts'

/** What the sampler needs of the data plane. */
export interface DeviceReader {
  read(name: string): Promise<DeviceState | undefined>
}

/** A peer the sampler follows, with its latest activity. */
export interface FollowedPeer {
  readonly id: string
  readonly name: string
  readonly interface: string
  readonly publicKey: string
  readonly enabled: boolean
  readonly expiresAt: number | null
  readonly activity: PeerActivity
  readonly connected: boolean
}

/** What one round found. */
export interface SampleReport {
  /** When the round began, milliseconds since the epoch. */
  readonly at: number
  /** Peers whose activity or connection changed. */
  readonly changed: readonly FollowedPeer[]
  /** Peers that connected or disconnected. */
  readonly switched: readonly FollowedPeer[]
  /** Interfaces with peers whose expiry date came since the last round. */
  readonly expired: ReadonlySet<string>
  /** Bytes a second over all peers since the last round, seen from the server. */
  readonly rate: { readonly rx: number; readonly tx: number }
  /** How long the round took. */
  readonly durationMs: number
}

/** Reads the devices in turn and keeps what every peer did; the only place counters are added up. */
export interface Sampler {
  /** Starts to follow a peer, or takes over its new name, key and switches. */
  follow(row: PeerRow): void
  forget(id: string): void
  /** One round over all devices. Rounds never overlap. */
  sample(): Promise<SampleReport>
  /** Reads one device at once, before its counters go away with it. */
  sampleInterface(name: string): Promise<void>
  /** These peers left their device: when they come back, its counters begin at zero. */
  restart(ids: readonly string[]): Promise<void>
  /** What the last round found; undefined before the first. */
  lastReport(): SampleReport | undefined
  peer(id: string): FollowedPeer | undefined
  peers(): IterableIterator<FollowedPeer>
  /** Writes down what has not been written yet. */
  flush(): Promise<void>
}

/** Counters alone are written down this often, milliseconds; the device keeps them meanwhile. Handshakes are written at once. */
const counterResolution = 30_000

type Mutable = { -readonly [Key in keyof FollowedPeer]: FollowedPeer[Key] }
interface Followed extends Mutable {
  writtenAt: number
  writtenHandshake: number | null
  isDirty: boolean
}

export interface SamplerParts {
  readonly database: Database<Tables>
  readonly devices: DeviceReader
  readonly clock: Clock
  readonly log: Log
}

/** Loads what is known of every peer; reading the devices begins with the first `sample`. */
export async function openSampler(parts: SamplerParts): Promise<Sampler> {
  const sampler = new PeerSampler(parts)
  sampler.load(await followedPeerRows(parts.database.query))
  return sampler
}

class PeerSampler implements Sampler {
  readonly #parts: SamplerParts
  /** Readings are taken one after the other: an older one taken late would look like a counter that began anew. */
  readonly #turn = createKeyedQueue(100)
  readonly #byId = new Map<string, Followed>()
  #lastRound: number
  #lastReport: SampleReport | undefined
  #expiryChecked: number

  constructor(parts: SamplerParts) {
    this.#parts = parts
    this.#lastRound = parts.clock.monotonic()
    this.#expiryChecked = parts.clock.now()
  }

  load(rows: readonly FollowedPeerRow[]): void {
    const now = this.#parts.clock.now()
    for (const row of rows) {
      const peer = followedOfRow(row)
      this.#byId.set(peer.id, peer)
      this.#connect(peer, now)
    }
  }

  follow(row: PeerRow): void {
    const known = this.#byId.get(row.id)
    const fresh = followedOfRow({ ...row, peer_id: row.id, ...columnsOf(known?.activity ?? noActivity) })
    if (known === undefined) this.#byId.set(row.id, fresh)
    else {
      const { name, publicKey, enabled, expiresAt } = fresh
      Object.assign(known, { name, publicKey, enabled, expiresAt })
    }
  }

  forget(id: string): void {
    this.#byId.delete(id)
  }

  peer(id: string): FollowedPeer | undefined {
    return this.#byId.get(id)
  }

  peers(): IterableIterator<FollowedPeer> {
    return this.#byId.values()
  }

  lastReport(): SampleReport | undefined {
    return this.#lastReport
  }

  sample(): Promise<SampleReport> {
    return this.#turn.run('sample', () => this.#sampleAll())
  }

  sampleInterface(name: string): Promise<void> {
    return this.#turn.run('sample', () => this.#sampleOne(name))
  }

  restart(ids: readonly string[]): Promise<void> {
    return this.#turn.run('sample', async () => {
      const peers = ids.map((id) => this.#byId.get(id)).filter((peer) => peer !== undefined)
      for (const peer of peers) peer.activity = { ...peer.activity, rxSeen: 0, txSeen: 0 }
      await this.#write(peers)
    })
  }

  flush(): Promise<void> {
    return this.#turn.run('sample', () => this.#write([...this.#byId.values()].filter((peer) => peer.isDirty)))
  }

  async #sampleAll(): Promise<SampleReport> {
    const begin = this.#parts.clock.monotonic()
    const now = this.#parts.clock.now()
    const readings = await this.#readAll()
    const totals = { rx: 0, tx: 0 }
    const changed: Followed[] = []
    const switched: Followed[] = []
    for (const peer of this.#byId.values()) {
      const before = peer.activity
      const wasConnected = peer.connected
      this.#take(peer, readings.get(peer.interface), now)
      totals.rx += peer.activity.rxTotal - before.rxTotal
      totals.tx += peer.activity.txTotal - before.txTotal
      if (wasConnected !== peer.connected) switched.push(peer)
      if (peer.activity !== before || wasConnected !== peer.connected) changed.push(peer)
    }
    await this.#write(changed.filter((peer) => this.#isDue(peer, now)))
    const seconds = Math.max(0.001, (begin - this.#lastRound) / 1000)
    this.#lastRound = begin
    this.#lastReport = {
      at: now,
      changed,
      switched,
      expired: this.#newlyExpired(now),
      rate: { rx: totals.rx / seconds, tx: totals.tx / seconds },
      durationMs: this.#parts.clock.monotonic() - begin,
    }
    return this.#lastReport
  }

  async #sampleOne(name: string): Promise<void> {
    const reading = await this.#read(name)
    if (reading === undefined) return
    const peers = [...this.#byId.values()].filter((peer) => peer.interface === name)
    for (const peer of peers) this.#take(peer, reading, this.#parts.clock.now())
    await this.#write(peers.filter((peer) => peer.isDirty))
  }

  /** A reading that fails leaves that interface as it was; the drift check reports why. */
  async #readAll(): Promise<Map<string, DeviceState | null>> {
    const names = new Set([...this.#byId.values()].map((peer) => peer.interface))
    const readings = new Map<string, DeviceState | null>()
    for (const name of names) {
      const reading = await this.#read(name)
      if (reading !== undefined) readings.set(name, reading)
    }
    return readings
  }

  async #read(name: string): Promise<DeviceState | null | undefined> {
    try {
      return (await this.#parts.devices.read(name)) ?? null
    } catch (error) {
      this.#parts.log.warn({ err: error, interface: name }, 'reading the device failed')
      return undefined
    }
  }

  #take(peer: Followed, reading: DeviceState | null | undefined, now: number): void {
    if (reading !== undefined) {
      const next = countTraffic(peer.activity, reading?.peers.get(peer.publicKey))
      if (next !== peer.activity) peer.isDirty = true
      peer.activity = next
    }
    this.#connect(peer, now, reading !== null)
  }

  #connect(peer: Followed, now: number, isRunning = true): void {
    const { lastHandshake } = peer.activity
    const isUsable = isRunning && peer.enabled && !isExpired(peer.expiresAt, now)
    peer.connected = isUsable && lastHandshake !== null && lastHandshake > now - handshakeLifetime
  }

  #isDue(peer: Followed, now: number): boolean {
    if (!peer.isDirty) return false
    return now - peer.writtenAt >= counterResolution || peer.activity.lastHandshake !== peer.writtenHandshake
  }

  async #write(peers: readonly Followed[]): Promise<void> {
    const now = this.#parts.clock.now()
    await writeActivity(this.#parts.database.query, peers.map(rowOf))
    for (const peer of peers) {
      peer.isDirty = false
      peer.writtenAt = now
      peer.writtenHandshake = peer.activity.lastHandshake
    }
  }

  #newlyExpired(now: number): Set<string> {
    const since = this.#expiryChecked
    this.#expiryChecked = now
    const due = [...this.#byId.values()].filter(
      ({ expiresAt }) => expiresAt !== null && expiresAt > since && expiresAt <= now,
    )
    return new Set(due.map((peer) => peer.interface))
  }
}

function columnsOf(activity: PeerActivity): Omit<PeerActivityRow, 'peer_id'> {
  return {
    last_handshake: activity.lastHandshake,
    endpoint: activity.endpoint,
    rx_total: activity.rxTotal,
    tx_total: activity.txTotal,
    rx_seen: activity.rxSeen,
    tx_seen: activity.txSeen,
  }
}

function rowOf(peer: FollowedPeer): PeerActivityRow {
  return { peer_id: peer.id, ...columnsOf(peer.activity) }
}

function followedOfRow(row: FollowedPeerRow): Followed {
  return {
    id: row.peer_id,
    name: row.name,
    interface: row.interface,
    publicKey: row.public_key,
    enabled: row.enabled === 1,
    expiresAt: row.expires_at,
    connected: false,
    writtenAt: 0,
    writtenHandshake: row.last_handshake,
    isDirty: false,
    activity: {
      lastHandshake: row.last_handshake,
      endpoint: row.endpoint,
      rxTotal: row.rx_total,
      txTotal: row.tx_total,
      rxSeen: row.rx_seen,
      txSeen: row.tx_seen,
    },
  }
}
