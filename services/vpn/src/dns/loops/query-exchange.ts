import { countDecision } from '../decision-counts.ts'
import type { LogRing } from '../log-ring.ts'
import type { Engine } from '../engine.ts'
import { Outcome, type Answered } from '../outcome.ts'
import type { UpstreamQueries } from './upstream-queries.ts'
import { clientOfQuery } from './client-source.ts'
import type { ClientRate } from './client-rate.ts'
import type { DataConfig } from './data-config.ts'
import { maxQueryBytes } from './waiters.ts'

/** A datagram in the hands of a loop; the loop keeps one such object and sets it again. */
export interface Packet {
  bytes: Uint8Array
  at: number
  length: number
  /** Number of the listener it came in at. */
  listener: number
  isTunnel: boolean
  /** The sender, a `struct sockaddr` at addresses[addressAt ..]. */
  addresses: Uint8Array
  addressAt: number
}

/** Buffer and listeners that answers are sent with. */
export interface AnswerLines {
  /** The next answer is written to answers[answerAt ..]; room for 4096 bytes. */
  readonly answers: Uint8Array
  answerAt: number
  /** Sends what was written there from this listener to this address. Moves `answerAt` on. */
  answer(length: number, listener: number, addresses: Uint8Array, addressAt: number): void
}

type Work = Pick<DataConfig, 'listenClient' | 'queryLog' | 'anonymizeClients'>

/** Dependencies of `QueryExchange`. */
export interface ExchangeDependencies {
  readonly engine: Engine
  readonly upstreamQueries: UpstreamQueries
  readonly rate: ClientRate
  readonly ring: LogRing
  readonly lines: AnswerLines
  /** See `countDecision`. */
  readonly decisions: Float64Array
}

/**
 * A query's way through the data thread, the same for both loops: the client, its limit, the engine's answer, or a flight to an
 * upstream and back. Allocates nothing per query.
 */
export class QueryExchange {
  /** Milliseconds of `performance.now`, set once a batch. */
  now = 0
  /** Queries of unknown clients, and those beyond a client's limit. */
  refused = 0
  limited = 0
  readonly #engine: Engine
  readonly #upstreamQueries: UpstreamQueries
  readonly #rate: ClientRate
  readonly #ring: LogRing
  readonly #lines: AnswerLines
  readonly #decisions: Float64Array
  #listenClient = 0
  #queryLog: DataConfig['queryLog'] = 'none'
  #isAnonymous = false
  readonly #answered: Answered
  /** A query that waits already, for the next flight. */
  readonly #again: Packet

  constructor(dependencies: ExchangeDependencies) {
    this.#engine = dependencies.engine
    this.#upstreamQueries = dependencies.upstreamQueries
    this.#rate = dependencies.rate
    this.#ring = dependencies.ring
    this.#lines = dependencies.lines
    this.#decisions = dependencies.decisions
    const { queries, addresses } = dependencies.upstreamQueries.pending.waiters
    this.#again = { bytes: queries, at: 0, length: 0, listener: 0, isTunnel: true, addresses, addressAt: 0 }
    this.#answered = {
      query: queries,
      queryAt: 0,
      queryLength: 0,
      client: 0,
      answer: queries,
      answerAt: 0,
      answerLength: 0,
    }
    dependencies.upstreamQueries.giveUp = (flight) => this.#giveUp(flight)
    dependencies.upstreamQueries.answerEarly = (flight) => this.#answerEarly(flight)
  }

  use(work: Work): void {
    this.#listenClient = work.listenClient
    this.#queryLog = work.queryLog
    this.#isAnonymous = work.anonymizeClients
  }

  /** A datagram from a client. */
  takeQuery(packet: Packet): void {
    const { bytes, at, length, isTunnel } = packet
    const { clients } = this.#engine.policy
    const client = clientOfQuery(clients, isTunnel, this.#listenClient, packet.addresses, packet.addressAt)
    if (client < 0) {
      this.refused += 1
      return
    }
    if (isTunnel && !this.#rate.take(client, this.now)) {
      this.limited += 1
      return
    }
    this.#point()
    this.#engine.entry.upstream = 0
    const size = this.#engine.handleQuery(bytes, at, length, client)
    if (size === Outcome.forward) return this.#forward(packet, client, this.now)
    this.#send(size, packet.listener, packet.addresses, packet.addressAt, this.now)
    if (this.#engine.isEnding) this.#upstreamQueries.renew()
  }

  /** A datagram that came to one of our ports from its upstream. */
  takeAnswer(port: number, m: Uint8Array, o: number, n: number): void {
    const upstreamQueries = this.#upstreamQueries
    const flight = upstreamQueries.match(port, m, o, n)
    if (flight < 0) return
    const { pending } = upstreamQueries
    const { waiters } = pending
    const answered = this.#answered
    answered.answer = m
    answered.answerAt = o
    answered.answerLength = n
    const upstream = upstreamQueries.serverOf(flight)
    for (let waiter = pending.firstWaiter[flight]!; waiter >= 0; waiter = waiters.next[waiter]!) {
      answered.queryAt = waiter * maxQueryBytes
      answered.queryLength = waiters.lengths[waiter]!
      answered.client = waiters.clients[waiter]!
      this.#point()
      const size = this.#engine.finish(answered)
      if (size === Outcome.forward) {
        this.#forwardAgain(waiter)
        continue
      }
      this.#engine.entry.upstream = upstream
      this.#sendTo(waiter, size)
    }
    pending.close(flight)
  }

  /** The client of a flight that ends waits for another one. */
  #forwardAgain(waiter: number): void {
    const { waiters } = this.#upstreamQueries.pending
    const packet = this.#again
    packet.at = waiter * maxQueryBytes
    packet.length = waiters.lengths[waiter]!
    packet.listener = waiters.listeners[waiter]!
    packet.addressAt = waiter * 32
    this.#forward(packet, waiters.clients[waiter]!, waiters.since[waiter]!)
  }

  /** Lets the client of a query wait for an upstream, since this moment. */
  #forward(packet: Packet, client: number, since: number): void {
    const { bytes, at, length, listener, addresses, addressAt } = packet
    const waiter = length > maxQueryBytes ? -1 : this.#upstreamQueries.join(bytes, at, length)
    if (waiter >= 0) {
      const { waiters } = this.#upstreamQueries.pending
      waiters.clients[waiter] = client
      waiters.listeners[waiter] = listener
      waiters.since[waiter] = since
      waiters.address(waiter, addresses, addressAt)
      return
    }
    const size = this.#engine.fail(bytes, at, length, client)
    this.#engine.entry.upstream = 0
    this.#send(size, listener, addresses, addressAt, since)
  }

  #giveUp(flight: number): void {
    const { pending } = this.#upstreamQueries
    const { waiters } = pending
    for (let waiter = pending.firstWaiter[flight]!; waiter >= 0; waiter = waiters.next[waiter]!) {
      this.#point()
      const at = waiter * maxQueryBytes
      const size = this.#engine.fail(waiters.queries, at, waiters.lengths[waiter]!, waiters.clients[waiter]!)
      this.#engine.entry.upstream = 0
      this.#sendTo(waiter, size)
    }
    pending.close(flight)
  }

  /** Equal questions have the same expired answer, or none. What an upstream still says renews it. */
  #answerEarly(flight: number): void {
    const { pending } = this.#upstreamQueries
    const { waiters } = pending
    for (let waiter = pending.firstWaiter[flight]!; waiter >= 0; waiter = pending.firstWaiter[flight]!) {
      this.#point()
      const at = waiter * maxQueryBytes
      const size = this.#engine.expired(waiters.queries, at, waiters.lengths[waiter]!, waiters.clients[waiter]!)
      if (size === Outcome.drop) return
      this.#engine.entry.upstream = 0
      this.#sendTo(waiter, size)
      pending.firstWaiter[flight] = waiters.free(waiter)
      pending.waiterCount[flight]! -= 1
    }
  }

  #point(): void {
    this.#engine.out = this.#lines.answers
    this.#engine.outAt = this.#lines.answerAt
  }

  #sendTo(waiter: number, size: number): void {
    const { waiters } = this.#upstreamQueries.pending
    this.#send(size, waiters.listeners[waiter]!, waiters.addresses, waiter * 32, waiters.since[waiter]!)
  }

  #send(size: number, listener: number, addresses: Uint8Array, at: number, since: number): void {
    if (size <= 0) return
    this.#lines.answer(size, listener, addresses, at)
    const { entry } = this.#engine
    if (entry.nameLength > 0) countDecision(this.#decisions, entry)
    if (this.#queryLog === 'none' || !this.#engine.isLogged) return
    if (entry.nameLength === 0 || (this.#queryLog === 'blocked' && entry.status === 0)) return
    if (this.#isAnonymous) entry.client = 0
    const micros = (performance.now() - since) * 1000
    entry.micros = micros > 0 ? Math.min(micros, 0xffff_ffff) : 0
    this.#ring.append(entry)
  }
}
