import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { LogRing } from '../../query-log/ring.ts'
import { AnswerCache } from '../answer-cache.ts'
import { Engine } from '../engine.ts'
import { openPolicy } from '../policy/policy.ts'
import { Asking, type QueryLines } from './asking.ts'
import { ClientRate } from './client-rate.ts'
import type { DataNews, DataOrders, DataSetup } from './orders.ts'
import { QueryExchange, type AnswerLines } from './query-exchange.ts'
import { openSharedState, Shared, type SharedState } from './shared-state.ts'

/** All a loop works with but its sockets. */
export interface WorkBench {
  readonly state: SharedState
  readonly engine: Engine
  readonly asking: Asking
  readonly exchange: QueryExchange
  /** To be called before every batch; cheap when nothing changed. False when the thread is to end. */
  takeNews(): boolean
  /** The time, for everything in this batch. */
  setClock(): void
  /** After every batch: log entries become visible, and that this thread lives. */
  endBatch(): void
}

/** Loops open and close listeners themselves. */
export type ListenerLines = AnswerLines & QueryLines & { listen(listeners: DataOrders['listeners']): void }

/** Lays out what both loops need, and puts the first orders in force. */
export function createWorkBench(setup: DataSetup, port: MessagePort, lines: ListenerLines): WorkBench {
  const state = openSharedState(setup.shared)
  const { words } = state
  const ring = new LogRing(setup.ring)
  const { orders } = setup
  let cache = new AnswerCache(orders.cacheSize)
  const engine = new Engine({ policy: openPolicy(orders.policy), cache, settings: orders.engine })
  const asking = new Asking({ engine, lines, figures: state.figures })
  const rate = new ClientRate(orders.clientRateLimit)
  const exchange = new QueryExchange({ engine, asking, rate, ring, lines })
  let inForce = orders
  let seen = setup.generation

  function setClock(): void {
    const now = performance.now()
    asking.now = now
    exchange.now = now
    engine.now = Date.now()
  }

  function apply(news: DataNews): void {
    inForce = { ...inForce, ...news }
    if (news.policy) engine.use(openPolicy(news.policy))
    if (news.cacheSize !== undefined && news.cacheSize !== cache.size) cache = new AnswerCache(news.cacheSize)
    else if (news.clearCache) cache.clear()
    if (news.engine ?? news.cacheSize) engine.configure(inForce.engine, cache)
    if (news.listeners) lines.listen(news.listeners)
    if (news.upstreams) asking.use(news.upstreams, inForce.engine.dnssec)
    else if (news.engine) asking.beStrict(news.engine.dnssec)
    if (news.clientRateLimit !== undefined) rate.limit(news.clientRateLimit)
    exchange.use(inForce)
  }

  setClock()
  asking.use(orders.upstreams, orders.engine.dnssec)
  lines.listen(orders.listeners)
  exchange.use(orders)
  return {
    state,
    engine,
    asking,
    exchange,
    setClock,
    takeNews() {
      const generation = Atomics.load(words, Shared.generation)
      if (generation === seen) return true
      seen = generation
      setClock()
      let goesOn = true
      for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) {
        const news = got.message as DataNews
        apply(news)
        if (news.stop) goesOn = false
      }
      Atomics.store(words, Shared.seen, generation)
      Atomics.notify(words, Shared.seen)
      return goesOn
    },
    endBatch() {
      ring.publish()
      words[Shared.heartbeat]! += 1
      words[Shared.cacheEntries] = cache.entries
      words[Shared.refused] = exchange.refused
      words[Shared.limited] = exchange.limited
    },
  }
}
