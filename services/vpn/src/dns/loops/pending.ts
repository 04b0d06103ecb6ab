import { maxPorts } from './shared-state.ts'
import { maxQueryBytes, Waiters } from './waiters.ts'

const none = -1

/** Capacity of the table: flights (queries upstream), and clients that wait for them. */
export interface PendingSize {
  readonly flights: number
  readonly waiters: number
}

/**
 * Queries sent upstream and not yet answered ("flights"), found by socket and id, by question, and by age, in memory of a fixed
 * size. Equal questions share a flight. Nothing is allocated after the start.
 */
export class Pending {
  readonly waiters: Waiters
  /** The query of flight f, as it was sent, at `f * maxQueryBytes`. */
  readonly queries: Uint8Array
  readonly lengths: Uint16Array
  /** The socket it was sent with, and its id there. */
  readonly ports: Int32Array
  readonly ids: Int32Array
  readonly upstreams: Int32Array
  /** The group its upstreams are of, and the scope of their answers; see `ZoneTable`. */
  readonly groups: Int32Array
  readonly scopes: Int32Array
  /** Bits of the places in the group whose upstreams were queried. */
  readonly tried: Int32Array
  /** 1 when the query that was sent last counts as failed. */
  readonly hasFailed: Uint8Array
  /** Time of the first client's query, and of the last send; milliseconds of `performance.now`. */
  readonly since: Float64Array
  readonly sentAt: Float64Array
  readonly firstWaiter: Int32Array
  readonly waiterCount: Int32Array
  /** Number of flights from each port. */
  readonly portFlights = new Int32Array(maxPorts)
  /** Number of flights. */
  count = 0

  readonly #hash1: Int32Array
  readonly #hash2: Int32Array
  readonly #mask: number
  readonly #byId: Int32Array
  readonly #nextById: Int32Array
  readonly #byQuestion: Int32Array
  readonly #nextByQuestion: Int32Array
  readonly #isShared: Uint8Array
  readonly #older: Int32Array
  readonly #younger: Int32Array
  #oldest = none
  #youngest = none
  #free = 0

  constructor({ flights, waiters }: PendingSize) {
    const numbers = (value: number, length = flights) => new Int32Array(length).fill(value)
    this.waiters = new Waiters(waiters)
    this.queries = new Uint8Array(flights * maxQueryBytes)
    this.lengths = new Uint16Array(flights)
    this.ports = numbers(none)
    this.ids = numbers(none)
    this.upstreams = numbers(none)
    this.groups = numbers(0)
    this.scopes = numbers(0)
    this.tried = numbers(0)
    this.hasFailed = new Uint8Array(flights)
    this.since = new Float64Array(flights)
    this.sentAt = new Float64Array(flights)
    this.firstWaiter = numbers(none)
    this.waiterCount = numbers(0)
    this.#hash1 = numbers(0)
    this.#hash2 = numbers(0)
    const buckets = 2 ** Math.ceil(Math.log2(flights * 2))
    this.#mask = buckets - 1
    this.#byId = numbers(none, buckets)
    this.#nextById = numbers(none)
    this.#byQuestion = numbers(none, buckets)
    this.#nextByQuestion = numbers(none)
    this.#isShared = new Uint8Array(flights)
    this.#older = numbers(none)
    this.#younger = Int32Array.from({ length: flights }, (_, f) => (f + 1 < flights ? f + 1 : none))
  }

  /** A flight for this question, or for none that others may join; -1 when there is no room. It is not under way yet. */
  open(hash1: number, hash2: number, isShared: boolean, now: number): number {
    const flight = this.#free
    if (flight === none) return none
    this.#free = this.#younger[flight]!
    this.count += 1
    this.since[flight] = now
    this.ports[flight] = none
    this.tried[flight] = 0
    this.firstWaiter[flight] = none
    this.waiterCount[flight] = 0
    this.#hash1[flight] = hash1
    this.#hash2[flight] = hash2
    this.#isShared[flight] = isShared ? 1 : 0
    if (isShared) push(this.#byQuestion, this.#nextByQuestion, hash1 & this.#mask, flight)
    return flight
  }

  /** The flight for this question that others may join; -1 for none. */
  findQuestion(hash1: number, hash2: number): number {
    let flight = this.#byQuestion[hash1 & this.#mask]!
    while (flight !== none && (this.#hash1[flight] !== (hash1 | 0) || this.#hash2[flight] !== (hash2 | 0)))
      flight = this.#nextByQuestion[flight]!
    return flight
  }

  /** The flight with this id on this socket; -1 for none. */
  findId(port: number, id: number): number {
    let flight = this.#byId[this.#bucketOf(port, id)]!
    while (flight !== none && (this.ids[flight] !== id || this.ports[flight] !== port)) flight = this.#nextById[flight]!
    return flight
  }

  /** The flight is sent now: with this id on this socket, from now on the youngest. The id is not in use there. */
  depart(flight: number, port: number, id: number, now: number): void {
    if (this.ports[flight] !== none) this.#leave(flight)
    this.ports[flight] = port
    this.ids[flight] = id
    this.portFlights[port]! += 1
    this.sentAt[flight] = now
    this.hasFailed[flight] = 0
    push(this.#byId, this.#nextById, this.#bucketOf(port, id), flight)
    this.#older[flight] = this.#youngest
    this.#younger[flight] = none
    if (this.#youngest === none) this.#oldest = flight
    else this.#younger[this.#youngest] = flight
    this.#youngest = flight
  }

  /** The oldest flight; -1 for none. */
  oldest(): number {
    return this.#oldest
  }

  /** The flight that was sent next after this one; -1 for none. */
  younger(flight: number): number {
    return this.#younger[flight]!
  }

  /** The flight is over; its waiters, if any are left, are freed. */
  close(flight: number): void {
    if (this.ports[flight] !== none) this.#leave(flight)
    if (this.#isShared[flight] === 1)
      take(this.#byQuestion, this.#nextByQuestion, this.#hash1[flight]! & this.#mask, flight)
    for (let waiter = this.firstWaiter[flight]!; waiter !== none;) waiter = this.waiters.free(waiter)
    this.firstWaiter[flight] = none
    this.#younger[flight] = this.#free
    this.#free = flight
    this.count -= 1
  }

  #leave(flight: number): void {
    take(this.#byId, this.#nextById, this.#bucketOf(this.ports[flight]!, this.ids[flight]!), flight)
    this.portFlights[this.ports[flight]!]! -= 1
    const older = this.#older[flight]!
    const younger = this.#younger[flight]!
    if (older === none) this.#oldest = younger
    else this.#younger[older] = younger
    if (younger === none) this.#youngest = older
    else this.#older[younger] = older
    this.ports[flight] = none
  }

  #bucketOf(port: number, id: number): number {
    return (id ^ Math.imul(port + 1, 0x9e37_79b1)) & this.#mask
  }
}

function push(buckets: Int32Array, next: Int32Array, bucket: number, flight: number): void {
  next[flight] = buckets[bucket]!
  buckets[bucket] = flight
}

function take(buckets: Int32Array, next: Int32Array, bucket: number, flight: number): void {
  let before = none
  let at = buckets[bucket]!
  while (at !== flight) {
    before = at
    at = next[at]!
  }
  if (before === none) buckets[bucket] = next[flight]!
  else next[before] = next[flight]!
}
