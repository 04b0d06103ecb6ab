import type { Socket } from 'node:net'
import type { DataConfig } from '../loops/data-config.ts'
import type { Policy } from '../policy/policy.ts'
import { ClientRate } from '../loops/client-rate.ts'
import { clientOfQuery } from '../loops/client-source.ts'
import { encodeSocketAddress } from '../sockets/socket-address.ts'
import { serveConnection } from './client-connection.ts'
import { StreamAnswers, type StreamAnswersDependencies } from './stream-answers.ts'

/** Maximum number of connections, in total and of one address. */
const maxConnections = 512
const maxPerAddress = 32

/** Answers over TCP. A client that may not query has no connection, and no client has too many. */
export class Streams {
  readonly #answers: StreamAnswers
  readonly #open = new Set<Socket>()
  readonly #perAddress = new Map<string, number>()
  readonly #rate = new ClientRate(0)
  readonly #source = new Uint8Array(32)
  #listenClient = 0

  constructor(config: DataConfig, dependencies: StreamAnswersDependencies) {
    this.#answers = new StreamAnswers(config, dependencies)
    this.#limit(config)
  }

  /** The policy in force. */
  get policy(): Policy {
    return this.#answers.engine.policy
  }

  /** Counts of the decisions about what came over TCP. */
  get decisions(): Float64Array {
    return this.#answers.decisions
  }

  /** Puts another configuration in force for the next query. */
  use(config: DataConfig): void {
    this.#answers.use(config)
    this.#limit(config)
  }

  #limit({ listenClient, clientRateLimit }: DataConfig): void {
    this.#listenClient = listenClient
    this.#rate.limit(clientRateLimit)
  }

  /** Answers what comes over this connection, or closes it when its other end may not query. */
  take(socket: Socket, isTunnel: boolean): void {
    const address = socket.remoteAddress
    socket.on('error', () => undefined)
    if (address === undefined || !this.#mayConnect(address, isTunnel)) {
      socket.destroy()
      return
    }
    this.#open.add(socket)
    this.#perAddress.set(address, (this.#perAddress.get(address) ?? 0) + 1)
    socket.on('close', () => {
      this.#open.delete(socket)
      const left = (this.#perAddress.get(address) ?? 1) - 1
      if (left === 0) this.#perAddress.delete(address)
      else this.#perAddress.set(address, left)
    })
    // Peers come and go, so the client is looked up for each query.
    serveConnection(socket, async (query) => {
      const client = this.#clientOf(address, isTunnel)
      if (client < 0 || (isTunnel && !this.#rate.take(client, performance.now()))) return undefined
      return this.#answers.answer(query, client)
    })
  }

  /** Returns true if this number is a client's that may query. */
  isClient(client: number): boolean {
    return this.policy.clients.indexOf(client) !== 0
  }

  /** Counts a query of a client that does not come through a tunnel; false beyond its limit. */
  mayQueryNow(client: number): boolean {
    return this.#rate.take(client, performance.now())
  }

  /** See `StreamAnswers.answer`. */
  answer(query: Uint8Array, client: number): Promise<Uint8Array | undefined> {
    return this.#answers.answer(query, client)
  }

  clearCache(): void {
    this.#answers.clearCache()
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
  }

  #mayConnect(address: string, isTunnel: boolean): boolean {
    if (this.#open.size >= maxConnections || (this.#perAddress.get(address) ?? 0) >= maxPerAddress) return false
    return this.#clientOf(address, isTunnel) >= 0
  }

  #clientOf(address: string, isTunnel: boolean): number {
    encodeSocketAddress(this.#source, 0, address.replace(/%.*/, ''), 0)
    return clientOfQuery(this.policy.clients, isTunnel, this.#listenClient, this.#source, 0)
  }
}
