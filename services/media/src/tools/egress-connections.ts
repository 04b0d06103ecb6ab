import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { OutboundFailed, OutboundRefused, pinnedLookup, type OutboundPolicy } from '@hearth/outbound'

/** A refused destination of a tool. */
export type Refusal = Pick<OutboundRefused, 'host' | 'port' | 'reason'>

/** Limits of one run; every member has a default. */
export interface EgressLimits {
  /** Connections of the tool, and connections made for it, at the same time; 64. */
  readonly connections?: number
  /** Time that a connection may be silent in both directions, milliseconds; 60 000. */
  readonly idleMs?: number
  /** Time limit of connecting, milliseconds; 15 000. */
  readonly connectMs?: number
  /** Bytes that may arrive in the whole run; unlimited. */
  readonly maxBytes?: number
}

/** Maximum number of recorded refusals; a tool that keeps retrying adds no information. */
const maxRefusals = 100

/** The connections of one run, inward and outward, and what is known of them. */
export class EgressConnections {
  /** The first ones, in order. */
  readonly refusals: Refusal[] = []
  /** Bytes that arrived so far. */
  bytes = 0
  readonly #policy: OutboundPolicy
  readonly #limits: EgressLimits
  readonly #open = new Set<Duplex>()
  readonly #ended = new AbortController()
  readonly #exhausted = new AbortController()
  /** Aborted when more bytes arrived than the run may receive. */
  readonly exhausted: AbortSignal = this.#exhausted.signal
  #outward = 0
  #made = 0
  #failed = 0

  constructor(policy: OutboundPolicy, limits: EgressLimits) {
    this.#policy = policy
    this.#limits = limits
  }

  /** True when connections were tried and none was made. */
  get isOffline(): boolean {
    return this.#failed > 0 && this.#made === 0
  }

  /** Takes a connection in: it ends with the run, or when it is silent for too long. */
  admit(socket: Socket): void {
    this.#open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#open.delete(socket))
    socket.setTimeout(this.#limits.idleMs ?? 60_000, () => socket.destroy())
    if (this.#ended.signal.aborted) socket.destroy()
  }

  /** Connects to a checked address. Throws `OutboundRefused`, which is noted, `OutboundFailed` or an error of the socket. */
  async reach(host: string, port: number): Promise<Socket> {
    if (this.#outward >= (this.#limits.connections ?? 64)) throw new OutboundFailed('unreachable', host)
    this.#outward += 1
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>()
    void gone.then(() => (this.#outward -= 1))
    try {
      const destination = await this.#policy.resolve(host, port, this.#ended.signal)
      const socket = connect({ host: destination.host, port, lookup: pinnedLookup(destination), noDelay: true })
      socket.once('close', leave)
      this.admit(socket)
      await connected(socket, { host, ms: this.#limits.connectMs ?? 15_000 })
      this.#made += 1
      return socket
    } catch (error) {
      leave()
      if (error instanceof OutboundRefused) this.#note(error)
      else this.#failed += 1
      throw error
    }
  }

  /** Counts what arrives on a connection from now on. */
  meter(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
      if (this.bytes <= (this.#limits.maxBytes ?? Infinity)) return
      this.end()
      this.#exhausted.abort(new Error('more bytes arrived than the run may receive'))
    })
  }

  /** Destroys every connection; later ones are destroyed as they come. */
  end(): void {
    this.#ended.abort(new Error('the run is over'))
    for (const socket of this.#open) socket.destroy()
  }

  #note({ host, port, reason }: OutboundRefused): void {
    if (this.refusals.length < maxRefusals) this.refusals.push({ host, port, reason })
  }
}

async function connected(socket: Socket, { host, ms }: { host: string; ms: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => socket.destroy(new OutboundFailed('timeout', host)), ms)
  socket.once('connect', resolve)
  socket.once('error', reject)
  socket.once('close', () => reject(new OutboundFailed('unreachable', host)))
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}
