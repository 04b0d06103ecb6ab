import { sockaddr } from '../sockets/layouts.ts'

/** Longer queries are not forwarded: the longest name with an OPT record takes 290 bytes. */
export const maxQueryBytes = 512

/**
 * Clients that wait for an answer from upstream, in memory of a fixed size. Those that wait for the same answer are a chain;
 * free places are one, too, the one freed last is taken first.
 */
export class Waiters {
  /** The query of waiter n is at `n * maxQueryBytes`, as it came. */
  readonly queries: Uint8Array
  /** Its address, a `struct sockaddr`, at `n * 32`. */
  readonly addresses: Uint8Array
  readonly lengths: Uint16Array
  readonly clients: Int32Array
  readonly listeners: Int32Array
  /** Milliseconds, see `performance.now`. */
  readonly since: Float64Array
  /** The next in the chain; -1 at its end. */
  readonly next: Int32Array
  #free = 0

  constructor(capacity: number) {
    this.queries = new Uint8Array(capacity * maxQueryBytes)
    this.addresses = new Uint8Array(capacity * sockaddr.stride)
    this.lengths = new Uint16Array(capacity)
    this.clients = new Int32Array(capacity)
    this.listeners = new Int32Array(capacity)
    this.since = new Float64Array(capacity)
    this.next = Int32Array.from({ length: capacity }, (_, n) => (n + 1 < capacity ? n + 1 : -1))
  }

  /** Takes a place for the query `d[o..o+n)`, before `next` in its chain. The waiter; -1 when there is no room. */
  take(d: Uint8Array, o: number, n: number, next: number): number {
    const waiter = this.#free
    if (waiter < 0) return -1
    this.#free = this.next[waiter]!
    const at = waiter * maxQueryBytes
    for (let k = 0; k < n; k++) this.queries[at + k] = d[o + k]!
    this.lengths[waiter] = n
    this.next[waiter] = next
    return waiter
  }

  /** Sets the address that the waiter's answer goes to. */
  address(waiter: number, addresses: Uint8Array, at: number): void {
    const to = waiter * sockaddr.stride
    for (let k = 0; k < sockaddr.ipv6Size; k++) this.addresses[to + k] = addresses[at + k]!
  }

  /** Gives a place back and returns the next waiter of its chain. */
  free(waiter: number): number {
    const next = this.next[waiter]!
    this.next[waiter] = this.#free
    this.#free = waiter
    return next
  }
}
