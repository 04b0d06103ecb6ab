import type { Entry } from './door.ts'

/** Time until a request of a device, at the beginning and later. Slow headers, slow bodies and silence are all the same. */
const firstMs = 5000
const nextMs = 60_000
/** Requests without a right secret on one connection. */
const maxFailures = 5

/** A connection that a visit may end. */
interface Connection {
  destroy(): unknown
  on(event: 'close', listener: () => void): unknown
}

/** A connection over HTTPS, from its handshake to its end. */
export class Visit {
  readonly #entry: Entry | undefined
  readonly #connection: Connection
  #failures = 0
  #timer: NodeJS.Timeout

  constructor(entry: Entry | undefined, connection: Connection) {
    this.#entry = entry
    this.#connection = connection
    this.#timer = this.#endAfter(firstMs)
    connection.on('close', () => clearTimeout(this.#timer))
  }

  /** A request of this device came. Returns false when the device has too many connections. */
  isOf(client: number): boolean {
    if (this.#entry?.isOf(client) !== true) return false
    clearTimeout(this.#timer)
    this.#timer = this.#endAfter(nextMs)
    return true
  }

  /** A request without a right secret came. */
  failed(): void {
    this.#entry?.failed()
    this.#failures += 1
    // What was answered just now still has to leave.
    if (this.#failures === maxFailures) setImmediate(() => this.#connection.destroy())
  }

  #endAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#connection.destroy(), milliseconds).unref()
  }
}
