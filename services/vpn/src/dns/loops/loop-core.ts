import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { LogRing } from '../log-ring.ts'
import { AnswerCache } from '../answer-cache.ts'
import { Engine } from '../engine.ts'
import { openClientTable } from '../policy/client-table.ts'
import { openPolicy } from '../policy/policy.ts'
import { openProfileTable } from '../policy/profile-table.ts'
import { openRecordTable } from '../policy/record-table.ts'
import { UpstreamQueries, type QuerySender } from './upstream-queries.ts'
import { ClientRate } from './client-rate.ts'
import { withUpdate, type DataUpdate, type DataConfig, type DataSetup } from './data-config.ts'
import { CacheTransfer } from './cache-transfer.ts'
import { QueryExchange, type AnswerLines, type Packet } from './query-exchange.ts'
import { openSharedState, Shared, type SharedState } from './shared-state.ts'

/** The sockets of a loop, which opens and closes listeners itself. */
export type ListenerLines = AnswerLines & QuerySender & { listen(listeners: DataConfig['listeners']): void }

/** A packet to be filled in. */
export const emptyPacket = (): Packet => ({
  bytes: new Uint8Array(0),
  at: 0,
  length: 0,
  listener: 0,
  isTunnel: true,
  addresses: new Uint8Array(0),
  addressAt: 0,
})

/** Everything that both loops share: all but the sockets. */
export class LoopCore {
  readonly state: SharedState
  readonly engine: Engine
  readonly upstreamQueries: UpstreamQueries
  readonly exchange: QueryExchange
  readonly #transfer: CacheTransfer
  readonly #port: MessagePort
  readonly #lines: ListenerLines
  readonly #rate: ClientRate
  readonly #ring: LogRing
  #cache: AnswerCache
  #config: DataConfig
  #seen: number

  /** Puts the first config in force. */
  constructor(setup: DataSetup, port: MessagePort, lines: ListenerLines) {
    const { config } = setup
    this.state = openSharedState(setup.shared)
    this.#port = port
    this.#lines = lines
    this.#config = config
    this.#seen = setup.generation
    this.#ring = new LogRing(setup.ring)
    this.#rate = new ClientRate(config.clientRateLimit)
    this.#cache = new AnswerCache(config.cacheSize)
    this.engine = new Engine({ policy: openPolicy(config.policy), cache: this.#cache, settings: config.engine })
    this.upstreamQueries = new UpstreamQueries({ engine: this.engine, lines, figures: this.state.figures })
    const { engine, upstreamQueries } = this
    const { decisions } = this.state
    this.exchange = new QueryExchange({ engine, upstreamQueries, rate: this.#rate, ring: this.#ring, lines, decisions })
    this.#transfer = new CacheTransfer(engine, this.state.words)
    this.setClock()
    this.upstreamQueries.beStrict(config.engine.dnssec)
    this.upstreamQueries.use(config, false)
    this.exchange.use(config)
    lines.listen(config.listeners)
  }

  /** The time, for everything in this batch. */
  setClock(): void {
    const now = performance.now()
    this.upstreamQueries.now = now
    this.exchange.now = now
    this.engine.now = Date.now()
  }

  /** To be called before every batch; cheap when nothing changed. False when the thread is to end. */
  takeUpdate(): boolean {
    const generation = Atomics.load(this.state.words, Shared.generation)
    if (generation === this.#seen) return true
    this.#seen = generation
    this.setClock()
    let goesOn = true
    for (let got = receiveMessageOnPort(this.#port); got; got = receiveMessageOnPort(this.#port)) {
      const update = got.message as DataUpdate
      this.#apply(update)
      if (update.stop) goesOn = false
    }
    Atomics.store(this.state.words, Shared.seen, generation)
    Atomics.notify(this.state.words, Shared.seen)
    return goesOn
  }

  /** To be called after every batch: publishes log entries and the heartbeat. */
  endBatch(): void {
    const { words } = this.state
    this.#ring.publish()
    this.#transfer.step()
    words[Shared.heartbeat]! += 1
    words[Shared.cacheEntries] = this.#cache.entries
    words[Shared.refused] = this.exchange.refused
    words[Shared.limited] = this.exchange.limited
  }

  #apply(update: DataUpdate): void {
    this.#config = withUpdate(this.#config, update)
    if (update.policy) this.engine.use(openPolicy(update.policy))
    if (update.clients) this.engine.use({ ...this.engine.policy, clients: openClientTable(update.clients) })
    if (update.peerNames) this.engine.use({ ...this.engine.policy, peerNames: openRecordTable(update.peerNames) })
    if (update.profiles) this.engine.use({ ...this.engine.policy, profiles: openProfileTable(update.profiles) })
    this.#applyEngine(update)
    if (update.cacheTransfer) this.#transfer.begin(update.cacheTransfer)
    if (update.listeners) this.#lines.listen(update.listeners)
    if (update.upstreams) this.upstreamQueries.use(this.#config, true)
    if (update.clientRateLimit !== undefined) this.#rate.limit(update.clientRateLimit)
    this.exchange.use(this.#config)
  }

  #applyEngine({ cacheSize, clearCache, engine }: DataUpdate): void {
    if (cacheSize !== undefined && cacheSize !== this.#cache.size) this.#cache = new AnswerCache(cacheSize)
    else if (clearCache) this.#cache.clear()
    this.engine.configure(this.#config.engine, this.#cache)
    if (engine) this.upstreamQueries.beStrict(engine.dnssec)
  }
}
