import type { Log } from '@hearth/runtime'
import { Connection, type ConnectionOptions } from './connection.ts'

/** Minimum time between two connection attempts when a control request triggers one; milliseconds. */
const urgentIntervalMs = 1000

/** Dependencies and listeners of a connector. */
interface ConnectorOptions extends Omit<ConnectionOptions, 'onOpen' | 'onEnd'> {
  readonly log: Log
  readonly onUp: (epoch: number) => void
  /** A connection was lost, or an attempt failed. The next attempt comes by itself. */
  readonly onDown: (wasUp: boolean) => void
}

/**
 * Keeps one connection to an endpoint: makes it, and makes it anew when it is lost, with growing pauses while the other side
 * does not answer sensibly. Logs when the device begins and ceases to answer, never single attempts.
 */
export class Connector {
  readonly #options: ConnectorOptions
  readonly #backOff: ReturnType<typeof createBackOff>
  #connection: Connection | undefined
  #cancelWait: (() => void) | undefined
  #lastAttempt = Number.NEGATIVE_INFINITY
  #epoch = 0
  #remoteAddress: string | undefined
  #isUp = false
  /** Undefined until it is known for the first time. */
  #answers: boolean | undefined
  #isClosed = false

  constructor(options: ConnectorOptions) {
    this.#options = options
    this.#backOff = createBackOff(options.timing.backOffMs)
  }

  /** The connection if it is open. */
  get open(): Connection | undefined {
    return this.#connection?.isOpen === true ? this.#connection : undefined
  }

  get state(): 'connecting' | 'connected' | 'backing-off' {
    if (this.#connection === undefined) return 'backing-off'
    return this.#connection.isOpen ? 'connected' : 'connecting'
  }

  /** Address of the other side, of the last connection while there is none. */
  get remoteAddress(): string | undefined {
    return this.#remoteAddress
  }

  /** Number of connections so far. */
  get epoch(): number {
    return this.#epoch
  }

  /** Makes an attempt now, unless there is a connection or one is being made. */
  attempt(): void {
    if (this.#isClosed || this.#connection !== undefined) return
    this.#cancelWait?.()
    this.#lastAttempt = this.#options.timers.monotonic()
    this.#connection = new Connection({
      ...this.#options,
      onOpen: () => this.#opened(),
      onEnd: (reason) => this.#ended(reason),
    })
  }

  /** Makes an early attempt, if the last one is long enough ago. Returns whether one is being made. */
  attemptUrgently(): boolean {
    const isTooSoon = this.#options.timers.monotonic() - this.#lastAttempt < urgentIntervalMs
    if (this.#connection === undefined && !isTooSoon) this.attempt()
    return this.#connection !== undefined
  }

  /** A valid frame came: the other side is a device and works. */
  confirm(): void {
    this.#backOff.succeeded()
    if (this.#answers !== true) this.#options.log.info('the device answers')
    this.#answers = true
  }

  /** Ends the connection; the next attempt comes after a pause. */
  drop(reason: string): void {
    this.#connection?.end(reason)
  }

  /** Closes the connector. Resolves when the socket is closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelWait?.()
    const connection = this.#connection
    connection?.end('the link is closed')
    await connection?.gone
  }

  #opened(): void {
    this.#remoteAddress = this.#connection?.remoteAddress
    this.#epoch += 1
    this.#isUp = true
    this.#options.onUp(this.#epoch)
  }

  #ended(reason: string): void {
    const { timers, log, parser, onDown } = this.#options
    parser.reset()
    const wasUp = this.#isUp
    this.#isUp = false
    this.#connection = undefined
    if (this.#isClosed) return
    if (this.#answers !== false) log.warn({ reason }, 'the device does not answer')
    this.#answers = false
    this.#cancelWait = timers.after(this.#backOff.failed(), () => this.attempt())
    onDown(wasUp)
  }
}

/** Creates the wait before the next attempt to connect: twice as long after each failure, within bounds. Milliseconds. */
export function createBackOff([first, max]: readonly [number, number]) {
  let failures = 0
  return {
    /** Counts a failure and returns how long to wait after it. */
    failed(): number {
      const wait = Math.min(max, first * 2 ** failures)
      if (wait < max) failures += 1
      return wait
    },
    /** Resets the wait after a valid answer; an open connection alone is no proof of a working device. */
    succeeded(): void {
      failures = 0
    },
  }
}
