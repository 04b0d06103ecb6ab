import type { Socket } from 'node:net'
import type { Timers } from '@hearth/runtime'
import { encodeFrame, type Frame } from '../protocol/frame.ts'
import { createFrameParser } from '../protocol/parser.ts'
import type { Outcome } from './answers.ts'

/** Requests that wait before no more is read from a client. */
const maxWaiting = 256

/** Requests of a client in a second. */
const perSecond = 500

/** Bytes that a client may leave unread; one that reads nothing any more is disconnected. */
const maxUnread = 262_144

/** Time after which a silent client is disconnected, milliseconds. */
const idleMs = 600_000

/** Objects that a client may have sent to it by itself, as on an inverter, and the interval of that, milliseconds. */
const maxRegistrations = 64
const periodMs = 30_000

/** Who is connected, and what is done with its requests. */
export interface ConnectionDependencies {
  readonly timers: Timers
  readonly answer: (frame: Frame) => Promise<Outcome>
  /** Called with the end of each request. */
  readonly onOutcome: (outcome: Outcome) => void
  /** Called with the error of a request that failed in this service, such as when the database is away. */
  readonly onFailure: (error: unknown) => void
  readonly onClose: () => void
}

/** The connection of one program: its requests one after the other, in their order. */
export class ClientConnection {
  readonly connectedAt: number
  requests = 0
  readonly #socket: Socket
  readonly #dependencies: ConnectionDependencies
  readonly #waiting: Frame[] = []
  readonly #registered = new Map<string, Frame>()
  #isWorking = false
  #isClosed = false
  #cancelPeriod: () => void = () => undefined
  /** Start of the present second, monotonic milliseconds, and the requests in it. */
  #second = { at: 0, count: 0 }

  constructor(socket: Socket, dependencies: ConnectionDependencies) {
    this.#socket = socket
    this.#dependencies = dependencies
    this.connectedAt = dependencies.timers.now()
    const parser = createFrameParser({ onFrame: (frame) => this.#take(frame) })
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 60_000)
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.on('data', (bytes: Buffer) => parser.push(bytes))
    socket.on('error', () => undefined)
    socket.on('close', () => this.#closed())
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(frame: Frame): void {
    // What an inverter would say is no request; and a client that does not wait is not listened to for now.
    if (this.#isClosed || frame.command === 'response' || frame.command === 'long-response') return
    this.#waiting.push(frame)
    if (this.#waiting.length > maxWaiting) this.#socket.pause()
    if (!this.#isWorking) void this.#work()
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    for (let frame = this.#waiting.shift(); frame !== undefined && !this.#isClosed; frame = this.#waiting.shift()) {
      await this.#pace()
      await this.#answer(frame).catch(this.#dependencies.onFailure)
      if (this.#waiting.length === maxWaiting / 2) this.#socket.resume()
    }
    this.#isWorking = false
  }

  async #answer(frame: Frame): Promise<void> {
    if (frame.command === 'read-periodically') this.#register(frame)
    this.requests += 1
    const outcome = await this.#dependencies.answer(frame)
    this.#dependencies.onOutcome(outcome)
    if (outcome.kind !== 'answered' || this.#isClosed) return
    const { address, objectId } = frame
    this.#socket.write(encodeFrame({ command: 'response', address, objectId, payload: outcome.payload }))
    if (this.#socket.writableLength > maxUnread) this.#socket.destroy()
  }

  /** Waits for the next second when this one has had its requests, and lets others work in any case. */
  async #pace(): Promise<void> {
    const { timers } = this.#dependencies
    const now = timers.monotonic()
    if (now - this.#second.at >= 1000) this.#second = { at: now, count: 0 }
    this.#second.count += 1
    if (this.#second.count > perSecond) await timers.delay(1000 - (now - this.#second.at))
    else await new Promise((resolve) => void setImmediate(resolve))
  }

  #register(frame: Frame): void {
    const key = `${frame.address ?? ''} ${frame.objectId}`
    if (this.#registered.size >= maxRegistrations && !this.#registered.has(key)) return
    if (this.#registered.size === 0) this.#sendLater()
    this.#registered.set(key, { ...frame, command: 'read' })
  }

  /** Sends what is registered in every period. A client that has not taken its answers yet is left out. */
  #sendLater(): void {
    this.#cancelPeriod = this.#dependencies.timers.after(periodMs, () => {
      if (this.#waiting.length === 0) for (const frame of this.#registered.values()) this.#take(frame)
      this.#sendLater()
    })
  }

  #closed(): void {
    this.#isClosed = true
    this.#waiting.length = 0
    this.#cancelPeriod()
    this.#dependencies.onClose()
  }
}
