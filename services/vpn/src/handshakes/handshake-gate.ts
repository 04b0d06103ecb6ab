import type { Log, Timers } from '@hearth/runtime'
import type { Backend } from '../wireguard/device.ts'
import type { RunCommand } from '../wireguard/command.ts'
import { readDatagram } from './datagram.ts'
import { createInitiatorReader } from './initiation.ts'
import { PacketQueue } from './packet-queue.ts'
import { createQueueRules, type QueueRules } from './queue-rules.ts'
import type { QueuedPacket } from './queue-messages.ts'

/** A device on which new keys wait. */
export interface WatchedDevice {
  readonly name: string
  readonly privateKey: string
  readonly listenPort: number
  /** The public keys that wait. */
  readonly keys: readonly string[]
}

/** Called with a new key that begins a handshake; the handshake goes on when the promise is settled. */
export type OnNewKey = (device: string, publicKey: string) => Promise<void>

/** Holds the first handshake of a new key until its addresses have moved to it, so that no packet comes too early. */
export interface HandshakeGate {
  /**
   * Watches these devices and no others. Resolves to false where this host cannot hold packets: new keys are then only seen on the
   * devices.
   */
  watch(devices: readonly WatchedDevice[], onNewKey: OnNewKey): Promise<boolean>
  /** Lets everything through from now on. */
  close(): Promise<void>
}

/** What the gate of a host needs. */
export interface GateDependencies {
  readonly run: RunCommand
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly timers: Pick<Timers, 'after' | 'delay' | 'monotonic'>
}

/** Opens the gate of a host; that of simulated tunnels lets everything through. */
export function openHandshakeGate(backend: Backend, dependencies: GateDependencies): HandshakeGate {
  if (backend !== 'simulated') return new QueueGate(dependencies)
  return { watch: () => Promise.resolve(false), close: () => Promise.resolve() }
}

/** Numbers of the queues that are tried; a node on the same host takes the second. */
const queues = [5182, 5183, 5184, 5185]

/** Milliseconds between two looks into the queue: a handshake waits as long at most. */
const lookEvery = 5

/** Milliseconds after which a handshake goes on, whatever became of its key; a device begins anew after five seconds. */
const heldAtMost = 3000

/** Milliseconds before addresses move: what the old key sent before may still be on its way through the device. */
const settling = 20

/** Messages of a second that are read; others go on unread. Reading one takes about 0.2 ms. */
const readPerSecond = 400

/** Milliseconds after which the rules are written again: a firewall that was loaded anew lost them. */
const rulesLast = 60_000

/** Milliseconds after which a host that could not hold packets is tried again. */
const nextTry = 10 * 60_000

interface Watched {
  readonly device: WatchedDevice
  readonly readInitiator: (message: Buffer) => string | undefined
}

class QueueGate implements HandshakeGate {
  readonly #dependencies: GateDependencies
  readonly #rules: QueueRules
  #queue: PacketQueue | undefined
  /** Devices by their ports. */
  #watched: ReadonlyMap<number, Watched> = new Map()
  #onNewKey: OnNewKey = () => Promise.resolve()
  /** What the rules say, and since when. */
  #written = { ports: '', at: -Infinity }
  /** Packets that are held. */
  readonly #held = new Set<QueuedPacket>()
  /** Keys whose addresses move. */
  readonly #moving = new Map<string, Promise<void>>()
  #cancel: () => void = () => undefined
  #budget = { second: -1, read: 0 }
  /** Until when nothing is tried because this host could not hold packets. */
  #unableUntil = -Infinity
  #last: Promise<unknown> = Promise.resolve()

  constructor(dependencies: GateDependencies) {
    this.#dependencies = dependencies
    this.#rules = createQueueRules(dependencies.run)
  }

  watch(devices: readonly WatchedDevice[], onNewKey: OnNewKey): Promise<boolean> {
    const turn = this.#last.then(() => this.#watch(devices, onNewKey))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async close(): Promise<void> {
    await this.watch([], this.#onNewKey)
    this.#unableUntil = Infinity
    await Promise.allSettled(this.#moving.values())
  }

  async #watch(devices: readonly WatchedDevice[], onNewKey: OnNewKey): Promise<boolean> {
    const { log, timers } = this.#dependencies
    this.#onNewKey = onNewKey
    if (timers.monotonic() < this.#unableUntil) return false
    this.#watched = new Map(devices.map((device) => [device.listenPort, this.#watchedOf(device)]))
    try {
      if (devices.length === 0) await this.#open()
      else await this.#shut(devices.map(({ listenPort }) => listenPort))
      return devices.length > 0
    } catch (error) {
      if (devices.length > 0) this.#unableUntil = timers.monotonic() + nextTry
      await this.#open().catch(() => undefined)
      const said =
        devices.length === 0
          ? 'rules for handshakes may be left in the firewall; they do no harm'
          : 'handshakes cannot be held here: a change of keys may lose a few packets'
      log.info({ reason: (error as Error).message }, said)
      return false
    }
  }

  #watchedOf(device: WatchedDevice): Watched {
    const known = this.#watched.get(device.listenPort)
    if (known?.device.privateKey === device.privateKey) return { device, readInitiator: known.readInitiator }
    return { device, readInitiator: createInitiatorReader(device.privateKey) }
  }

  /** Holds the handshakes that come to these ports. */
  async #shut(listenPorts: readonly number[]): Promise<void> {
    const ports = listenPorts.toSorted((a, b) => a - b).join()
    const now = this.#dependencies.timers.monotonic()
    if (this.#written.ports === ports && now - this.#written.at < rulesLast) return
    this.#queue ??= await PacketQueue.open(queues)
    this.#next()
    await this.#rules.replace(this.#queue.number, listenPorts)
    this.#written = { ports, at: now }
  }

  /** Lets everything through, and what waits first: the kernel drops what is in a queue when it ends. */
  async #open(): Promise<void> {
    const queue = this.#queue
    if (queue === undefined) return
    // What still comes is read and goes on at once, until the rules are gone.
    this.#watched = new Map()
    try {
      this.#letGo(queue)
      await this.#rules.clear()
      this.#letGo(queue)
      await this.#rules.remove()
    } finally {
      this.#cancel()
      this.#queue = undefined
      this.#written = { ports: '', at: -Infinity }
      this.#held.clear()
      queue.close()
    }
  }

  #letGo(queue: PacketQueue): void {
    for (const packet of [...this.#held, ...queue.receive(queue.length)]) queue.accept(packet)
    this.#held.clear()
  }

  #next(): void {
    this.#cancel()
    this.#cancel = this.#dependencies.timers.after(lookEvery, () => {
      try {
        for (const packet of this.#queue?.receive(64) ?? []) this.#decide(packet)
        this.#next()
      } catch (error) {
        this.#dependencies.log.warn({ err: error }, 'the queue of handshakes broke')
        void this.watch([], this.#onNewKey)
      }
    })
  }

  /** Lets a packet go on: at once, or when the addresses of its key have moved. */
  #decide(packet: QueuedPacket): void {
    const moved = this.#movedFor(packet)
    if (moved === undefined) return this.#queue?.accept(packet)
    void this.#hold(packet, moved)
  }

  async #hold(packet: QueuedPacket, moved: Promise<void>): Promise<void> {
    this.#held.add(packet)
    await moved
    if (!this.#held.delete(packet)) return
    try {
      this.#queue?.accept(packet)
    } catch (error) {
      this.#dependencies.log.warn({ err: error }, 'a handshake could not be let go')
    }
  }

  #movedFor({ bytes }: QueuedPacket): Promise<void> | undefined {
    const datagram = readDatagram(bytes)
    const watched = datagram === undefined ? undefined : this.#watched.get(datagram.port)
    if (datagram === undefined || watched === undefined || !this.#mayRead()) return undefined
    const key = watched.readInitiator(datagram.payload)
    return key !== undefined && watched.device.keys.includes(key) ? this.#move(watched.device.name, key) : undefined
  }

  #mayRead(): boolean {
    const second = Math.floor(this.#dependencies.timers.monotonic() / 1000)
    if (this.#budget.second !== second) this.#budget = { second, read: 0 }
    this.#budget.read += 1
    return this.#budget.read <= readPerSecond
  }

  #move(device: string, key: string): Promise<void> {
    const moving = this.#moving.get(key)
    if (moving !== undefined) return moving
    const { promise: late, resolve: giveUp } = Promise.withResolvers<void>()
    const { timers, log } = this.#dependencies
    const cancel = timers.after(heldAtMost, giveUp)
    const moved = timers
      .delay(settling)
      .then(() => this.#onNewKey(device, key))
      .catch((error: unknown) => {
        log.warn({ err: error, interface: device }, 'the addresses of a new key could not be moved')
      })
    const settled = Promise.race([moved, late]).finally(() => {
      cancel()
      this.#moving.delete(key)
    })
    this.#moving.set(key, settled)
    return settled
  }
}
