import { countDecision, decisionCounts } from '../decision-counts.ts'
import type { LogRing } from '../log-ring.ts'
import { AnswerCache } from '../answer-cache.ts'
import { Engine } from '../engine.ts'
import { Outcome } from '../outcome.ts'
import type { DataConfig } from '../loops/data-config.ts'
import { openPolicy, reopenPolicy } from '../policy/policy.ts'

const cacheSize = 1024
const maxInFlight = 1024
const maxUpstreamQueryBytes = 512

/** Dependencies of `StreamAnswers`. */
export interface StreamAnswersDependencies {
  readonly ring: LogRing
  /** See `UpstreamServers.query`. */
  readonly query: (
    query: Uint8Array,
    isGood: (answer: Uint8Array) => boolean,
    group: number,
  ) => Promise<{ readonly answer: Uint8Array; readonly server: number }>
}

/**
 * Answers queries that came over TCP. The engine of the control thread: the same decisions over the same memory, answers of up to
 * 64 KiB, upstreams queried by stream.
 */
export class StreamAnswers {
  readonly engine: Engine
  /** See `countDecision`. */
  readonly decisions = new Float64Array(decisionCounts)
  readonly #dependencies: StreamAnswersDependencies
  #config: DataConfig
  #underWay = 0

  constructor(config: DataConfig, dependencies: StreamAnswersDependencies) {
    this.#config = config
    this.#dependencies = dependencies
    this.engine = new Engine({
      policy: openPolicy(config.policy),
      cache: new AnswerCache(config.cacheSize === 0 ? 0 : cacheSize),
      settings: config.engine,
    })
    this.engine.isStream = true
  }

  use(config: DataConfig): void {
    this.engine.use(reopenPolicy(this.engine.policy, this.#config.policy, config.policy))
    if (config.engine !== this.#config.engine) this.engine.configure(config.engine)
    this.#config = config
  }

  clearCache(): void {
    this.engine.cache.clear()
  }

  /** The whole answer for this client, in its own memory; undefined when none is due. Never rejects. */
  async answer(query: Uint8Array, client: number): Promise<Uint8Array | undefined> {
    const { engine } = this
    const since = performance.now()
    engine.now = Date.now()
    const size = engine.handleQuery(query, 0, query.length, client)
    if (size !== Outcome.forward) return this.#take(size, since, 0)
    if (this.#underWay >= maxInFlight) return this.#take(engine.fail(query, 0, query.length, client), since, 0)
    this.#underWay += 1
    try {
      return await this.#forward(query, client, since)
    } finally {
      this.#underWay -= 1
    }
  }

  async #forward(query: Uint8Array, client: number, since: number): Promise<Uint8Array | undefined> {
    const { engine } = this
    const sent = new Uint8Array(maxUpstreamQueryBytes)
    const length = engine.writeUpstream(sent, 0, crypto.getRandomValues(new Uint16Array(1))[0]!)
    const { group, scope } = engine.route
    const isGood = (answer: Uint8Array) => {
      engine.route.sentScope = scope
      return engine.accept(answer, 0, answer.length, sent, 0)
    }
    const received = await this.#dependencies.query(sent.subarray(0, length), isGood, group).catch(() => undefined)
    engine.now = Date.now()
    if (received === undefined) return this.#take(engine.fail(query, 0, query.length, client), since, 0)
    const { answer, server } = received
    const [queryLength, answerLength] = [query.length, answer.length]
    const size = engine.finish({ query, queryAt: 0, queryLength, client, answer, answerAt: 0, answerLength })
    if (size === Outcome.forward) return this.#forward(query, client, since)
    return this.#take(size, since, server)
  }

  /** The answer of `size` bytes that was just written; it goes into the log. */
  #take(size: number, since: number, upstream: number): Uint8Array | undefined {
    if (size <= 0) return undefined
    const { entry, isLogged, out, outAt } = this.engine
    const { queryLog, anonymizeClients } = this.#config
    if (entry.nameLength > 0) countDecision(this.decisions, entry)
    if (isLogged && entry.nameLength > 0 && (queryLog === 'all' || (queryLog === 'blocked' && entry.status === 1))) {
      if (anonymizeClients) entry.client = 0
      entry.micros = Math.round((performance.now() - since) * 1000)
      entry.upstream = upstream
      this.#dependencies.ring.append(entry)
      this.#dependencies.ring.publish()
    }
    return out.slice(outAt, outAt + size)
  }
}
