import type { Engine } from '../engine.ts'
import type { DataConfig, DataUpstream } from './data-config.ts'
import { Pending } from './pending.ts'
import { RandomNumbers } from './random-numbers.ts'
import { unreachableCode } from '../wire/codes.ts'
import { FailureCode } from './shared-state.ts'
import { type PortOpener, SourcePorts } from './source-ports.ts'
import { UpstreamHealth } from './upstream-health.ts'
import { maxQueryBytes } from './waiters.ts'

/** Ways to send queries upstream. */
export interface QuerySender extends PortOpener {
  /** Sends bytes[at .. at + length) from the port to its upstream. The bytes may change right after. */
  sendQuery(port: number, bytes: Uint8Array, at: number, length: number): void
}

const size = { flights: 8192, waiters: 16_384 }
const maxWaiters = 4096
/** Flights from which on no answers are renewed early: those that somebody waits for need the room. */
const maxRenewals = size.flights / 4
const retryMs = 800
const deadlineMs = 4000
/** Time that clients wait before an expired answer is good enough (RFC 8767 5 says 1.8 s): two silent tries. */
const patienceMs = 2 * retryMs
const Rcode = { serverFailure: 2, notImplemented: 4, refused: 5 } as const

/** Dependencies of `UpstreamQueries`. */
export interface UpstreamQueriesDependencies {
  readonly engine: Engine
  readonly lines: QuerySender
  /** Shared memory for what is known of the upstreams. */
  readonly figures: Float64Array
}

/**
 * Queries the upstreams of a name's group: one at a time, the next after 800 ms of silence, at once when one is unreachable or refuses; after 4 s
 * none is queried any more. Equal questions are sent once. A packet that does not match the query and its socket exactly is
 * ignored.
 */
export class UpstreamQueries {
  readonly pending = new Pending(size)
  /** Milliseconds of `performance.now`, set once a batch. */
  now = 0
  /** Number of packets that answered no query: forged or late ones. */
  unexpected = 0
  /** Answers the clients of a flight that no upstream answered, and closes it. */
  giveUp: (flight: number) => void = () => undefined
  /** Answers the clients of a flight that takes long, where an expired answer is at hand. The flight goes on. */
  answerEarly: (flight: number) => void = () => undefined
  readonly #engine: Engine
  readonly #lines: QuerySender
  readonly #random = new RandomNumbers()
  readonly #health: UpstreamHealth
  readonly #ports: SourcePorts
  #upstreams: readonly DataUpstream[] = []
  #isStrict = false
  #port = -1
  #portUpstream = -1

  constructor(dependencies: UpstreamQueriesDependencies) {
    this.#engine = dependencies.engine
    this.#lines = dependencies.lines
    this.#health = new UpstreamHealth(dependencies.figures)
    this.#ports = new SourcePorts(dependencies.lines, this.pending, this.#random)
  }

  /**
   * Puts other upstreams in force, after the policy with their zones; what is under way is queried again there. What is known of
   * those that stay is kept if `isChange`.
   */
  use({ upstreams, groups }: Pick<DataConfig, 'upstreams' | 'groups'>, isChange: boolean): void {
    this.#upstreams = upstreams
    this.#health.use(upstreams, groups, isChange)
    this.#ports.use(upstreams, this.now)
    this.nextBatch()
    const { pending } = this
    for (let flight = pending.oldest(), left = pending.count; flight >= 0 && left > 0; left--) {
      const younger = pending.younger(flight)
      pending.tried[flight] = 0
      pending.upstreams[flight] = -1
      this.#engine.route.find(this.#engine.policy, pending.queries, flight * maxQueryBytes)
      this.#routeFlight(flight)
      this.#sendAgain(flight, this.#choose(flight))
      flight = younger
    }
  }

  /** Sets whether SERVFAIL counts as an answer from now on (DNSSEC). */
  beStrict(isStrict: boolean): void {
    this.#isStrict = isStrict
  }

  /** Queries of a batch leave from one port, so that one call sends them; each batch draws its own. */
  nextBatch(): void {
    this.#port = -1
  }

  /**
   * Right after the engine said forward: takes d[o .. o + n) among those who wait, and queries when no one does yet. Returns the
   * waiter, to be filled in; -1 when there is no room, or no upstream.
   */
  join(d: Uint8Array, o: number, n: number): number {
    const { pending } = this
    const { questionHash1, questionHash2 } = this.#engine
    let flight = pending.findQuestion(questionHash1, questionHash2)
    const isNew = flight < 0
    if (isNew) flight = pending.open(questionHash1, questionHash2, true, this.now)
    if (flight < 0 || pending.waiterCount[flight]! >= maxWaiters) return -1
    const waiter = pending.waiters.take(d, o, n, pending.firstWaiter[flight]!)
    if (waiter >= 0) {
      pending.firstWaiter[flight] = waiter
      pending.waiterCount[flight]! += 1
    }
    if (!isNew) return waiter
    if (waiter >= 0) {
      pending.lengths[flight] = this.#engine.writeUpstream(pending.queries, flight * maxQueryBytes, 0)
      this.#routeFlight(flight)
      if (this.#depart(flight, this.#choose(flight))) {
        this.#probe(flight)
        return waiter
      }
    }
    pending.close(flight)
    return -1
  }

  /** Right after the engine answered from the cache and said that the answer ends soon: queries, and nobody waits for it. */
  renew(): void {
    const { pending } = this
    const { questionHash1, questionHash2 } = this.#engine
    if (pending.count >= maxRenewals || pending.findQuestion(questionHash1, questionHash2) >= 0) return
    const flight = pending.open(questionHash1, questionHash2, true, this.now)
    pending.lengths[flight] = this.#engine.writeUpstream(pending.queries, flight * maxQueryBytes, 0)
    this.#routeFlight(flight)
    if (!this.#depart(flight, this.#choose(flight))) pending.close(flight)
  }

  /**
   * The flight that m[o .. o + n), which came to this port, ends, to be closed by the caller; -1 when it ends none: there is no
   * such query, or another upstream is queried now.
   */
  match(port: number, m: Uint8Array, o: number, n: number): number {
    const { pending } = this
    const flight = n < 12 ? -1 : pending.findId(port, (m[o]! << 8) | m[o + 1]!)
    if (flight >= 0 && (m[o + 3]! & 15) === unreachableCode && this.#isBridge(flight)) {
      this.#goOn(flight)
      return -1
    }
    if (flight >= 0) this.#engine.route.sentScope = pending.scopes[flight]!
    if (flight < 0 || !this.#engine.accept(m, o, n, pending.queries, flight * maxQueryBytes)) {
      this.unexpected += 1
      return -1
    }
    const upstream = pending.upstreams[flight]!
    this.#health.answered(upstream, pending.sentAt[flight]!, this.now)
    const { byStream } = this.#upstreams[upstream]!
    const isCutOff = (m[o + 2]! & 2) !== 0
    if (isCutOff && byStream >= 0 && this.#depart(flight, byStream)) return -1
    if (this.#isRefusal(flight, m[o + 3]! & 15)) {
      this.#fail(flight, pending.sentAt[flight]!, FailureCode.refused)
      const next = this.#choose(flight)
      if (next >= 0 && this.#depart(flight, next)) return -1
    }
    return flight
  }

  /** The number in the log of the server that a flight was sent to. */
  serverOf(flight: number): number {
    return this.#upstreams[this.pending.upstreams[flight]!]!.number
  }

  /** The server behind a bridge is unreachable. */
  #goOn(flight: number): void {
    this.#fail(flight, this.now, FailureCode.unreachable)
    if (!this.#depart(flight, this.#choose(flight))) this.giveUp(flight)
  }

  #isBridge(flight: number): boolean {
    return this.#upstreams[this.pending.upstreams[flight]!]!.isBridge
  }

  /** The upstream of this port is unreachable: its port is closed. Queries sent from the port go to another upstream. */
  portFailed(port: number): void {
    const { pending } = this
    const upstream = this.#ports.upstreams[port]!
    if (upstream < 0) return
    this.#health.failed(upstream, this.now, this.now, FailureCode.unreachable)
    for (let flight = pending.oldest(), left = pending.count; flight >= 0 && left > 0; left--) {
      const younger = pending.younger(flight)
      if (pending.ports[flight] === port) {
        this.#fail(flight, this.now, FailureCode.unreachable)
        const next = this.#choose(flight)
        if (next >= 0) this.#depart(flight, next)
      }
      flight = younger
    }
  }

  /** Sends queries without an answer again or gives them up, and replaces ports. To be called regularly. */
  tick(): void {
    const { pending, now } = this
    this.#ports.rotate(now)
    for (;;) {
      const flight = pending.oldest()
      if (flight < 0 || now - pending.sentAt[flight]! < retryMs) return
      this.#fail(flight, pending.sentAt[flight]!, FailureCode.silent)
      if (pending.waiterCount[flight] === 0) pending.close(flight)
      else if (now - pending.since[flight]! >= deadlineMs - 20) this.giveUp(flight)
      else {
        if (now - pending.since[flight]! >= patienceMs - 20) this.answerEarly(flight)
        let next = this.#choose(flight)
        if (next < 0) {
          pending.tried[flight] = 0
          next = this.#choose(flight)
        }
        this.#sendAgain(flight, next)
      }
    }
  }

  /** Marks the query that was sent last as failed, at most once per query. */
  #fail(flight: number, since: number, code: number): void {
    const { pending } = this
    if (pending.hasFailed[flight] === 1) return
    pending.hasFailed[flight] = 1
    const upstream = pending.upstreams[flight]!
    this.#health.countFailure(upstream)
    this.#health.failed(upstream, since, this.now, code)
  }

  #sendAgain(flight: number, upstream: number): void {
    if (!this.#depart(flight, upstream)) this.giveUp(flight)
  }

  /** The flight goes to the upstreams that the engine named. */
  #routeFlight(flight: number): void {
    this.pending.groups[flight] = this.#engine.route.group
    this.pending.scopes[flight] = this.#engine.route.scope
  }

  /** The best upstream of the flight's group that was not queried yet; -1 when all were. */
  #choose(flight: number): number {
    return this.#health.choose(this.pending.groups[flight]!, this.pending.tried[flight]!)
  }

  /** The server of a zone that fails is not one that has found a signature to be wrong. */
  #isRefusal(flight: number, rcode: number): boolean {
    if (rcode === Rcode.serverFailure) return !this.#isStrict || this.pending.groups[flight] !== 0
    return rcode === Rcode.refused || rcode === Rcode.notImplemented
  }

  /**
   * Sends the flight's query to this upstream, with a fresh id from a drawn port; to the one queried before as it was, so that a
   * late answer counts. False when there is no way to it.
   */
  #depart(flight: number, upstream: number): boolean {
    const { pending } = this
    const isSame = pending.ports[flight]! >= 0 && pending.upstreams[flight] === upstream
    const port = isSame ? pending.ports[flight]! : this.#portTo(upstream)
    if (port < 0) return false
    const id = isSame ? pending.ids[flight]! : this.#freeId(port)
    const at = flight * maxQueryBytes
    pending.queries[at] = id >> 8
    pending.queries[at + 1] = id
    pending.depart(flight, port, id, this.now)
    pending.upstreams[flight] = upstream
    pending.tried[flight]! |= this.#health.bitOf(pending.groups[flight]!, upstream)
    this.#health.countQuery(upstream)
    this.#lines.sendQuery(port, pending.queries, at, pending.lengths[flight]!)
    return true
  }

  #freeId(port: number): number {
    let id = this.#random.next()
    while (this.pending.findId(port, id) >= 0) id = this.#random.next()
    return id
  }

  #portTo(upstream: number): number {
    if (upstream < 0) return -1
    if (this.#port >= 0 && this.#portUpstream === upstream) return this.#port
    this.#port = this.#ports.draw(upstream)
    this.#portUpstream = upstream
    return this.#port
  }

  /** Sends a query to an unhealthy upstream as well, to detect its recovery; no client waits for it. */
  #probe(flight: number): void {
    const { pending } = this
    const group = pending.groups[flight]!
    const upstream = this.#health.toProbe(group, this.now)
    if (upstream < 0 || upstream === pending.upstreams[flight]) return
    const probe = pending.open(0, 0, false, this.now)
    if (probe < 0) return
    const from = flight * maxQueryBytes
    pending.queries.copyWithin(probe * maxQueryBytes, from, from + pending.lengths[flight]!)
    pending.lengths[probe] = pending.lengths[flight]!
    pending.groups[probe] = group
    pending.scopes[probe] = pending.scopes[flight]!
    if (!this.#depart(probe, upstream)) pending.close(probe)
  }
}
