import { connect, type Socket } from 'node:net'
import type { Timers } from '@hearth/runtime'
import type { FrameParser } from '../protocol/parser.ts'
import type { LinkTiming } from './link-options.ts'

/** Bytes of a frame that does not end, beyond which the stream is taken for broken. */
const maxHeldBytes = 8192

/** Address of a connection and its listeners. */
export interface ConnectionOptions {
  readonly host: string
  readonly port: number
  readonly timers: Timers
  readonly timing: LinkTiming
  /** Gets what arrives; the owner resets it when the connection ends. */
  readonly parser: FrameParser
  readonly onOpen: () => void
  /** After the parser had them. */
  readonly onBytes: () => void
  /** Called exactly once, with the reason for the log. */
  readonly onEnd: (reason: string) => void
}

/** One TCP connection from its attempt to its end. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #socket: Socket
  readonly #gone = Promise.withResolvers<void>()
  #isOpen = false
  #isEnded = false
  #cancelConnect: () => void
  #cancelIdle: (() => void) | undefined

  /** Begins to connect; the host's address is looked up anew each time. */
  constructor(options: ConnectionOptions) {
    const { host, port, timers, timing } = options
    this.#options = options
    this.#socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
    this.#cancelConnect = timers.after(timing.connectMs, () => this.end('no connection within the time allowed'))
    this.#socket.on('connect', () => this.#open())
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.#socket.on('error', (error) => this.end(error.message))
    this.#socket.on('end', () => this.end('the other side closed the connection'))
    this.#socket.on('close', () => {
      this.end('the connection was closed')
      this.#gone.resolve()
    })
  }

  get isOpen(): boolean {
    return this.#isOpen && !this.#isEnded
  }

  /** Address of the other side while the connection is open. */
  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  /** True if a frame is arriving right now: sending would make some devices cut it off. */
  get isReceiving(): boolean {
    return this.#cancelIdle !== undefined
  }

  /** Resolves when the socket is gone after `end`. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** Resolves when the bytes have left. Rejects when the connection ends before; some bytes may have left then. */
  async send(bytes: Uint8Array): Promise<void> {
    const { timers, timing } = this.#options
    const cancel = timers.after(timing.drainMs, () => this.end('the other side takes no bytes'))
    try {
      await new Promise<void>((resolve, reject) => {
        this.#socket.write(bytes, (error) => (error == null ? resolve() : reject(error)))
      })
    } finally {
      cancel()
    }
  }

  /** Ends the connection at once. Only the first reason counts. */
  end(reason: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#cancelConnect()
    this.#stopIdle()
    this.#socket.destroy()
    this.#options.onEnd(reason)
  }

  #open(): void {
    if (this.#isEnded) return
    this.#isOpen = true
    this.#cancelConnect()
    this.#options.onOpen()
  }

  #receive(chunk: Uint8Array): void {
    if (this.#isEnded) return
    const { parser, timers, timing, onBytes } = this.#options
    this.#stopIdle()
    parser.push(chunk)
    // What came may have made the owner end the connection. The parser belongs to the next one then.
    if (!this.isOpen) return
    if (parser.heldBytes > maxHeldBytes) {
      this.end('bytes without end that are no frame')
      return
    }
    if (parser.isWaiting) this.#cancelIdle = timers.after(timing.idleGapMs, () => this.#fallSilent())
    onBytes()
  }

  #fallSilent(): void {
    this.#cancelIdle = undefined
    this.#options.parser.idle()
  }

  #stopIdle(): void {
    this.#cancelIdle?.()
    this.#cancelIdle = undefined
  }
}
