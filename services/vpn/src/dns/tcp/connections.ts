import type { Socket } from 'node:net'
import { ClientRate } from '../loops/client-rate.ts'
import { askingClient } from '../loops/client-source.ts'
import { encodeSocketAddress } from '../sockets/socket-address.ts'
import { serveConnection } from './client-connection.ts'
import type { StreamAnswers } from './stream-answers.ts'

/** At a time; of one address. */
const mostConnections = 512
const mostPerAddress = 32

/** Clients that may query over TCP, see `askingClient`. */
export interface ConnectionRules {
  readonly listenClient: number
  readonly clientRateLimit: number
}

/** The TCP connections of clients: who may not ask has none, and nobody has too many. */
export class Connections {
  readonly #answers: StreamAnswers
  readonly #open = new Set<Socket>()
  readonly #perAddress = new Map<string, number>()
  readonly #rate = new ClientRate(0)
  readonly #source = new Uint8Array(32)
  #listenClient = 0

  constructor(answers: StreamAnswers) {
    this.#answers = answers
  }

  use({ listenClient, clientRateLimit }: ConnectionRules): void {
    this.#listenClient = listenClient
    this.#rate.limit(clientRateLimit)
  }

  /** Answers what comes over this connection, or closes it when its other end may not ask. */
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
    // Peers come and go: who asks is looked up for each query.
    serveConnection(socket, async (query) => {
      const client = this.#clientOf(address, isTunnel)
      if (client < 0 || (isTunnel && !this.#rate.take(client, performance.now()))) return undefined
      return this.#answers.answer(query, client)
    })
  }

  close(): void {
    for (const socket of this.#open) socket.destroy()
  }

  #mayConnect(address: string, isTunnel: boolean): boolean {
    if (this.#open.size >= mostConnections || (this.#perAddress.get(address) ?? 0) >= mostPerAddress) return false
    return this.#clientOf(address, isTunnel) >= 0
  }

  #clientOf(address: string, isTunnel: boolean): number {
    encodeSocketAddress(this.#source, 0, address.replace(/%.*/, ''), 0)
    const { clients } = this.#answers.engine.policy
    return askingClient(clients, isTunnel, this.#listenClient, this.#source, 0)
  }
}
