import type { Socket } from 'node:net'
import type { DataOrders } from '../loops/orders.ts'
import type { Policy } from '../policy/policy.ts'
import { Connections } from './connections.ts'
import { StreamAnswers, type StreamAnswersParts } from './stream-answers.ts'

/** All that answers over TCP. */
export class Streams {
  readonly #answers: StreamAnswers
  readonly #connections: Connections

  constructor(orders: DataOrders, parts: StreamAnswersParts) {
    this.#answers = new StreamAnswers(orders, parts)
    this.#connections = new Connections(this.#answers)
    this.#connections.use(orders)
  }

  /** The policy in force. */
  get policy(): Policy {
    return this.#answers.engine.policy
  }

  /** Puts others in force for the next query. */
  use(orders: DataOrders): void {
    this.#answers.use(orders)
    this.#connections.use(orders)
  }

  /** Answers what comes over this connection, or closes it when its other end may not ask. */
  take(socket: Socket, isTunnel: boolean): void {
    this.#connections.take(socket, isTunnel)
  }

  clearCache(): void {
    this.#answers.clearCache()
  }

  close(): void {
    this.#connections.close()
  }
}
