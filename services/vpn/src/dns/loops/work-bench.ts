import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { LogRing } from '../../query-log/ring.ts'
import { AnswerCache } from '../answer-cache.ts'
import { Engine } from '../engine.ts'
import { openClientTable } from '../policy/client-table.ts'
import { openPolicy } from '../policy/policy.ts'
import { Asking, type QueryLines } from './asking.ts'
import { ClientRate } from './client-rate.ts'
import { withNews, type DataNews, type DataOrders, type DataSetup } from './orders.ts'
import { QueryExchange, type AnswerLines, type Packet } from './query-exchange.ts'
import { openSharedState, Shared, type SharedState } from './shared-state.ts'

/** The sockets of a loop, which opens and closes listeners itself. */
export type ListenerLines = AnswerLines & QueryLines & { listen(listeners: DataOrders['listeners']): void }

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

/** All a loop works with but its sockets; the same for both. */
export class WorkBench {
  readonly state: SharedState
  readonly engine: Engine
  readonly asking: Asking
  readonly exchange: QueryExchange
  readonly #port: MessagePort
  readonly #lines: ListenerLines
  readonly #rate: ClientRate
  readonly #ring: LogRing
  #cache: AnswerCache
  #orders: DataOrders
  #seen: number

  /** Puts the first orders in force. */
  constructor(setup: DataSetup, port: MessagePort, lines: ListenerLines) {
    const { orders } = setup
    this.state = openSharedState(setup.shared)
    this.#port = port
    this.#lines = lines
    this.#orders = orders
    this.#seen = setup.generation
    this.#ring = new LogRing(setup.ring)
    this.#rate = new ClientRate(orders.clientRateLimit)
    this.#cache = new AnswerCache(orders.cacheSize)
    this.engine = new Engine({ policy: openPolicy(orders.policy), cache: this.#cache, settings: orders.engine })
    this.asking = new Asking({ engine: this.engine, lines, figures: this.state.figures })
    const { engine, asking } = this
    this.exchange = new QueryExchange({ engine, asking, rate: this.#rate, ring: this.#ring, lines })
    this.setClock()
    this.asking.use(orders.upstreams, orders.engine.dnssec)
    this.exchange.use(orders)
    lines.listen(orders.listeners)
  }

  /** The time, for everything in this batch. */
  setClock(): void {
    const now = performance.now()
    this.asking.now = now
    this.exchange.now = now
    this.engine.now = Date.now()
  }

  /** To be called before every batch; cheap when nothing changed. False when the thread is to end. */
  takeNews(): boolean {
    const generation = Atomics.load(this.state.words, Shared.generation)
    if (generation === this.#seen) return true
    this.#seen = generation
    this.setClock()
    let goesOn = true
    for (let got = receiveMessageOnPort(this.#port); got; got = receiveMessageOnPort(this.#port)) {
      const news = got.message as DataNews
      this.#apply(news)
      if (news.stop) goesOn = false
    }
    Atomics.store(this.state.words, Shared.seen, generation)
    Atomics.notify(this.state.words, Shared.seen)
    return goesOn
  }

  /** After every batch: log entries become visible, and that this thread lives. */
  endBatch(): void {
    const { words } = this.state
    this.#ring.publish()
    words[Shared.heartbeat]! += 1
    words[Shared.cacheEntries] = this.#cache.entries
    words[Shared.refused] = this.exchange.refused
    words[Shared.limited] = this.exchange.limited
  }

  #apply(news: DataNews): void {
    this.#orders = withNews(this.#orders, news)
    if (news.policy) this.engine.use(openPolicy(news.policy))
    if (news.clients) this.engine.use({ ...this.engine.policy, clients: openClientTable(news.clients) })
    this.#applyEngine(news)
    if (news.listeners) this.#lines.listen(news.listeners)
    if (news.upstreams) this.asking.use(news.upstreams, this.#orders.engine.dnssec)
    if (news.clientRateLimit !== undefined) this.#rate.limit(news.clientRateLimit)
    this.exchange.use(this.#orders)
  }

  #applyEngine({ cacheSize, clearCache, engine }: DataNews): void {
    if (cacheSize !== undefined && cacheSize !== this.#cache.size) this.#cache = new AnswerCache(cacheSize)
    else if (clearCache) this.#cache.clear()
    this.engine.configure(this.#orders.engine, this.#cache)
    if (engine) this.asking.beStrict(engine.dnssec)
  }
}
