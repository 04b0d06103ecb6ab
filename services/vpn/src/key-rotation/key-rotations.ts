import type { Sealer } from '@hearth/credentials'
import { SettledClock, type Clock, type Log, type Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { HandshakeGate } from '../handshakes/handshake-gate.ts'
import { sealContext } from '../interfaces/desired-devices.ts'
import type { Peers } from '../peers/peers.ts'
import { checkPublicKey } from '../peers/new-peer.ts'
import type { Peer } from '../peers/schema.ts'
import { conflict } from '../problems.ts'
import type { PeerRow, Tables } from '../tables.ts'
import { generateKeyPair, generatePresharedKey } from '../wireguard/keys.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import type { KeyRotationBegin } from './schema.ts'
import { lookPause, shortestLookPause } from './look-pauses.ts'
import { rotatingInterfaces, type WaitingRow, waitingRows } from './store.ts'

export interface KeyRotationDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly timers: Pick<Timers, 'after'>
  readonly log: Log
  readonly sealer: Sealer
  readonly tunnels: Pick<Tunnels, 'read'>
  readonly peers: Pick<Peers, 'alter'>
  readonly gate: Pick<HandshakeGate, 'watch' | 'close'>
  /** Called when the next key of a peer became its key. */
  readonly onFinished: (peer: Peer) => void
}

const day = 86_400_000

const noNextKeys = { next_public_key: null, next_private_key: null, next_preshared_key: null, next_due: null }

/**
 * New keys of peers, which wait on the device until they are used. Two keys cannot have the same addresses there, so the new one
 * has none, and gets those of the old one when it begins its first handshake, or when it is due by a clock that is believed: the
 * old key works until that moment. The gate holds that handshake back until the addresses have moved; without one it is looked
 * for on the device.
 */
export class KeyRotations {
  readonly #dependencies: KeyRotationDependencies
  readonly #settled: SettledClock
  #cancelTimer: () => void = () => undefined
  #looking: Promise<void> = Promise.resolve()
  #isClosed = false
  #handedOutAt = -Infinity
  /** New keys that a node or the gate has seen used. */
  #used = new Set<string>()

  /** No rotation goes on before `start`. */
  constructor(dependencies: KeyRotationDependencies) {
    this.#dependencies = dependencies
    this.#settled = new SettledClock(dependencies.clock)
  }

  /** Begins to look for handshakes of new keys, if some wait. */
  start(): void {
    this.#next(0)
  }

  /** Makes a new key for a peer, which waits on the device beside the old one. */
  async begin(id: string, { days, public_key: given }: KeyRotationBegin): Promise<Peer> {
    const { peers, clock, sealer } = this.#dependencies
    const pair = given === undefined ? generateKeyPair() : undefined
    const publicKey = given ?? pair?.publicKey ?? ''
    const peer = await peers.alter(id, async (trx, row) => {
      if (row.next_public_key !== null)
        throw conflict('key_rotation', `${row.name} has a new key that waits already; cancel that first`)
      await checkPublicKey(trx, { id: '', public_key: publicKey })
      return {
        next_public_key: publicKey,
        next_private_key: pair === undefined ? null : sealer.seal(pair.privateKey, sealContext.peerKey(id)),
        next_preshared_key:
          row.preshared_key === null ? null : sealer.seal(generatePresharedKey(), sealContext.presharedKey(id)),
        next_due: clock.now() + days * day,
      }
    })
    this.handedOut()
    // Its handshakes are held before anybody gets it.
    await this.#lookNow()
    return peer
  }

  /** Notes that a configuration was handed out: a new key may be used at any moment from now on. */
  handedOut(): void {
    this.#handedOutAt = this.#dependencies.clock.now()
    this.#next(shortestLookPause)
  }

  /** Notes that new keys were used on a node. */
  usedOnNode(keys: readonly string[]): void {
    for (const key of keys) this.#used.add(key)
    this.#next(0)
  }

  /** Forgets the new key of a peer; the old one stays. Nothing happens when none waits. */
  cancel(id: string): Promise<Peer> {
    return this.#dependencies.peers.alter(id, () => Promise.resolve(noNextKeys))
  }

  /** Lets a look that runs end. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer()
    await this.#looking
    await this.#dependencies.gate.close()
  }

  #next(delay: number): void {
    if (this.#isClosed) return
    this.#cancelTimer()
    this.#cancelTimer = this.#dependencies.timers.after(delay, () => void this.#lookNow())
  }

  #lookNow(): Promise<void> {
    if (!this.#isClosed) this.#looking = this.#looking.then(() => this.#look())
    return this.#looking
  }

  async #look(): Promise<void> {
    const { db, log, clock } = this.#dependencies
    const began = performance.now()
    let [isWaiting, isHeld] = [true, false]
    try {
      const rows = await waitingRows(db)
      isWaiting = rows.length > 0
      this.#used = this.#used.intersection(new Set(rows.map((row) => row.next_public_key)))
      const byInterface = Map.groupBy(rows, (row) => row.interface)
      isHeld = await this.#hold(byInterface)
      for (const [name, waiting] of byInterface) await this.#lookAt(name, waiting)
    } catch (error) {
      log.error({ err: error }, 'new keys of peers could not be looked after')
    }
    if (isWaiting) this.#next(lookPause(clock.now() - this.#handedOutAt, performance.now() - began, isHeld))
  }

  /** Lets the gate hold the handshakes of new keys. Resolves to false where it cannot. */
  async #hold(waiting: ReadonlyMap<string, readonly WaitingRow[]>): Promise<boolean> {
    const { db, gate, sealer } = this.#dependencies
    const interfaces = waiting.size === 0 ? [] : await rotatingInterfaces(db, [...waiting.keys()])
    const devices = interfaces.map(({ name, listen_port: listenPort, private_key: sealed }) => ({
      name,
      listenPort,
      privateKey: sealer.open(sealed, sealContext.interfaceKey(name)),
      keys: (waiting.get(name) ?? []).map((row) => row.next_public_key),
    }))
    return gate.watch(devices, (_, key) => {
      this.#used.add(key)
      return this.#lookNow()
    })
  }

  async #lookAt(name: string, waiting: readonly WaitingRow[]): Promise<void> {
    const { tunnels, clock, log } = this.#dependencies
    const state = await tunnels.read(name).catch(() => undefined)
    const dueUntil = this.#settled.isSettled() ? clock.now() : -Infinity
    for (const row of waiting) {
      // The first bytes are those of a handshake that only the holder of the private key can begin.
      const key = row.next_public_key
      const isUsed = this.#used.has(key) || (state?.peers.get(key)?.rxBytes ?? 0) > 0
      if (!isUsed && row.next_due > dueUntil) continue
      this.#used.delete(key)
      await this.#finish(row).catch((error: unknown) => {
        log.error({ err: error, peer: row.name }, 'a new key could not replace the old one')
      })
    }
  }

  async #finish({ id, next_public_key: expected }: WaitingRow): Promise<void> {
    const { peers, onFinished, log } = this.#dependencies
    const peer = await peers.alter(id, (_, row) => Promise.resolve(nextKeysOf(row, expected)))
    log.info({ peer: peer.name }, 'the new key replaced the old one')
    onFinished(peer)
  }
}

/** The columns with which the next keys become the keys; none when others wait by now. */
function nextKeysOf(row: PeerRow, expected: string): Partial<PeerRow> {
  if (row.next_public_key !== expected) return {}
  return {
    public_key: row.next_public_key,
    private_key: row.next_private_key,
    preshared_key: row.next_preshared_key,
    ...noNextKeys,
  }
}
