import type { Endpoint } from '../sockets/open-socket.ts'
import type { DataUpstream } from './data-config.ts'
import type { Pending } from './pending.ts'
import type { RandomNumbers } from './random-numbers.ts'
import { maxPorts } from './shared-state.ts'

const minLifeMs = 5000

/** Opens and closes the sockets behind ports. A port that could not be opened is not `isOpen`, and is opened again later. */
export interface PortOpener {
  openPort(port: number, endpoint: Endpoint): void
  closePort(port: number): void
  isOpen(port: number): boolean
}

/**
 * The sockets queries are sent with: several a server, each with a port the kernel drew, chosen at random and replaced by fresh
 * ones all the time, so that forged answers have to guess the port as well.
 */
export class SourcePorts {
  /** The upstream of each port; -1 for none. */
  readonly upstreams = new Int32Array(maxPorts).fill(-1)
  readonly #opener: PortOpener
  readonly #pending: Pending
  readonly #random: RandomNumbers
  readonly #first: number[] = []
  readonly #isRetiring = new Uint8Array(maxPorts)
  readonly #isUsed = new Uint8Array(maxPorts)
  readonly #openedAt = new Float64Array(maxPorts)
  readonly #endOfLife = new Float64Array(maxPorts)
  #servers: readonly DataUpstream[] = []
  #count = 0

  constructor(opener: PortOpener, pending: Pending, random: RandomNumbers) {
    this.#opener = opener
    this.#pending = pending
    this.#random = random
  }

  /** These are the upstreams now. All ports are closed and others opened. */
  use(servers: readonly DataUpstream[], now: number): void {
    for (let port = 0; port < this.#count; port++) this.#opener.closePort(port)
    this.upstreams.fill(-1)
    this.#servers = servers
    this.#count = 0
    for (const [upstream, { ports }] of servers.entries()) {
      this.#first[upstream] = this.#count
      for (let n = 0; n < ports && this.#count < maxPorts; n++) {
        this.upstreams[this.#count] = upstream
        this.#open(this.#count++, now)
      }
    }
  }

  /** A port to query this upstream from; -1 when none is open. */
  draw(upstream: number): number {
    const first = this.#first[upstream]!
    const { ports } = this.#servers[upstream]!
    const start = this.#random.below(ports)
    let retiring = -1
    for (let n = 0; n < ports; n++) {
      const port = first + ((start + n) % ports)
      if (!this.#opener.isOpen(port)) continue
      if (this.#isRetiring[port] === 0) {
        this.#isUsed[port] = 1
        return port
      }
      retiring = port
    }
    return retiring
  }

  /** Replaces ports past their time, those with queries under way once these are done. To be called every now and then. */
  rotate(now: number): void {
    for (let port = 0; port < this.#count; port++) {
      const isOpen = this.#opener.isOpen(port)
      if (isOpen && (this.#isUsed[port] === 0 || now < this.#endOfLife[port]!)) continue
      if (!isOpen && now < this.#openedAt[port]! + 500) continue
      this.#isRetiring[port] = 1
      if (this.#pending.portFlights[port] !== 0) continue
      this.#opener.closePort(port)
      this.#open(port, now)
    }
  }

  #open(port: number, now: number): void {
    this.#isRetiring[port] = 0
    this.#isUsed[port] = 0
    this.#openedAt[port] = now
    this.#endOfLife[port] = now + minLifeMs + (this.#random.next() & 0x1fff)
    this.#opener.openPort(port, this.#servers[this.upstreams[port]!]!.endpoint)
  }
}
