import type { Socket } from 'node:net'
import { RandomNumbers } from '../loops/random-numbers.ts'
import { BackOff } from './back-off.ts'
import type { Relay } from './relay.ts'
import { frame, StreamFrames } from './stream-frames.ts'

const idleMs = 20_000
const maxInFlight = 2048

/** Opens connections to an upstream. */
export interface Connector {
  connect(): Socket
  /** One of them closed before it brought an answer. */
  failed(): void
}

interface Waiting {
  readonly query: Uint8Array
  readonly resolve: (answer: Uint8Array) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
  isSecondTry: boolean
}

interface Connection {
  readonly socket: Socket
  /** Pending queries by their id on this connection. */
  readonly waiting: Map<number, Waiting>
  /** Answers that came; a connection without any that closes is a failure, one with some merely was idle for the server. */
  answers: number
  lastAnswerAt: number
}

/**
 * Queries over one TCP or TLS connection, many queries at a time (RFC 7766, RFC 7858), closes it when it is idle and makes another
 * when needed.
 */
export class StreamRelay implements Relay {
  readonly #connector: Connector
  readonly #backOff = new BackOff()
  readonly #random = new RandomNumbers()
  #connection: Connection | undefined

  constructor(connector: Connector) {
    this.#connector = connector
  }

  query(query: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const obstacle = this.#connection === undefined ? this.#backOff.obstacle() : undefined
      if (obstacle !== undefined) return reject(obstacle)
      if ((this.#connection?.waiting.size ?? 0) >= maxInFlight) return reject(new Error('too many queries at a time'))
      const sentAt = performance.now()
      const timer = setTimeout(() => this.#expire(waiting, sentAt), timeoutMs)
      const waiting: Waiting = { query, resolve, reject, timer, isSecondTry: false }
      this.#send(waiting)
    })
  }

  close(): void {
    this.#connection?.socket.destroy(new Error('the resolver queries others now'))
  }

  #open(): Connection {
    const socket = this.#connector.connect()
    const opened: Connection = { socket, waiting: new Map(), answers: 0, lastAnswerAt: 0 }
    const frames = new StreamFrames()
    let fault = new Error('the server closed the connection')
    socket.setNoDelay(true)
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.on('data', (piece: Buffer) => {
      opened.lastAnswerAt = performance.now()
      for (const message of frames.push(piece)) this.#take(opened, message)
    })
    socket.on('error', (error) => (fault = error))
    socket.on('end', () => socket.destroy())
    socket.on('close', () => this.#leave(opened, fault))
    return opened
  }

  #send(waiting: Waiting): void {
    this.#connection ??= this.#open()
    const { waiting: underWay, socket } = this.#connection
    let id = this.#random.next()
    while (underWay.has(id)) id = (id + 1) & 0xffff
    underWay.set(id, waiting)
    const framed = frame(waiting.query)
    framed[2] = id >> 8
    framed[3] = id
    socket.write(framed)
  }

  #take(from: Connection, message: Uint8Array): void {
    const id = ((message[0] ?? 0) << 8) | (message[1] ?? 0)
    const waiting = message.length < 12 ? undefined : from.waiting.get(id)
    if (waiting === undefined) return
    from.waiting.delete(id)
    from.answers += 1
    this.#backOff.succeeded()
    clearTimeout(waiting.timer)
    message[0] = waiting.query[0]!
    message[1] = waiting.query[1]!
    waiting.resolve(message)
  }

  /** A server may close whenever it likes: what it had not answered on a connection that worked is queried once more. */
  #leave(left: Connection, fault: Error): void {
    if (this.#connection === left) this.#connection = undefined
    if (left.answers === 0 && left.waiting.size > 0) {
      this.#connector.failed()
      this.#backOff.failed(fault)
    }
    for (const waiting of left.waiting.values()) {
      if (left.answers > 0 && !waiting.isSecondTry) {
        waiting.isSecondTry = true
        this.#send(waiting)
      } else {
        clearTimeout(waiting.timer)
        waiting.reject(fault)
      }
    }
  }

  /** A connection on which nothing came since counts as dead. */
  #expire(waiting: Waiting, sentAt: number): void {
    const on = this.#connection
    for (const [id, other] of on?.waiting ?? []) if (other === waiting) on?.waiting.delete(id)
    if (on !== undefined && on.lastAnswerAt <= sentAt) {
      this.#connection = undefined
      on.socket.destroy(new Error('the server is silent'))
    }
    waiting.reject(new Error('no answer in time'))
  }
}
