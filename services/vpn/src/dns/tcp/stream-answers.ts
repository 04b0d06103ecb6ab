import type { LogRing } from '../../query-log/ring.ts'
import { AnswerCache } from '../answer-cache.ts'
import { Engine, Outcome } from '../engine.ts'
import type { DataOrders } from '../loops/orders.ts'
import { openPolicy } from '../policy/policy.ts'

const cacheSize = 1024
const mostUnderWay = 1024
const longestUpstreamQuery = 512

/** What answers over streams are made with. */
export interface StreamAnswersParts {
  readonly ring: LogRing
  /** See `UpstreamServers.ask`. */
  readonly ask: (
    query: Uint8Array,
    isGood: (answer: Uint8Array) => boolean,
  ) => Promise<{ readonly answer: Uint8Array; readonly upstream: number }>
}

/** Answers queries that came over TCP. */
export interface StreamAnswers {
  /** The second engine, with the same policy. */
  readonly engine: Engine
  use(orders: DataOrders): void
  clearCache(): void
  /** The whole answer for this client, in memory of its own; undefined when none is due. Never rejects. */
  answer(query: Uint8Array, client: number): Promise<Uint8Array | undefined>
}

/** The engine of the control thread: the same decisions over the same memory, answers of up to 64 KiB, upstreams asked by stream. */
export function createStreamAnswers(orders: DataOrders, parts: StreamAnswersParts): StreamAnswers {
  const cache = new AnswerCache(orders.cacheSize === 0 ? 0 : cacheSize)
  const engine = new Engine({ policy: openPolicy(orders.policy), cache, settings: orders.engine })
  engine.isStream = true
  let { queryLog, anonymizeClients } = orders
  let { policy, engine: settings } = orders
  let underWay = 0

  /** The answer of `size` bytes that was just written, and its place in the log. */
  function take(size: number, since: number, upstream: number): Uint8Array | undefined {
    if (size <= 0) return undefined
    const { entry, isLogged, out, outAt } = engine
    if (isLogged && entry.nameLength > 0 && (queryLog === 'all' || (queryLog === 'blocked' && entry.status === 1))) {
      if (anonymizeClients) entry.client = 0
      entry.micros = Math.round((performance.now() - since) * 1000)
      entry.upstream = upstream
      parts.ring.append(entry)
      parts.ring.publish()
    }
    return out.slice(outAt, outAt + size)
  }

  async function forward(query: Uint8Array, client: number, since: number): Promise<Uint8Array | undefined> {
    const sent = new Uint8Array(longestUpstreamQuery)
    const length = engine.writeUpstream(sent, 0, crypto.getRandomValues(new Uint16Array(1))[0]!)
    const isGood = (answer: Uint8Array) => engine.accept(answer, 0, answer.length, sent, 0)
    const asked = await parts.ask(sent.subarray(0, length), isGood).catch(() => undefined)
    engine.now = Date.now()
    if (asked === undefined) return take(engine.fail(query, 0, query.length, client), since, 0)
    const { answer, upstream } = asked
    const size = engine.finish({
      query,
      queryAt: 0,
      queryLength: query.length,
      client,
      answer,
      answerAt: 0,
      answerLength: answer.length,
    })
    return take(size, since, upstream + 1)
  }

  return {
    engine,
    use(next) {
      ;({ queryLog, anonymizeClients } = next)
      if (next.policy !== policy) engine.use(openPolicy(next.policy))
      if (next.engine !== settings) engine.configure(next.engine)
      ;({ policy, engine: settings } = next)
    },
    clearCache: () => cache.clear(),
    async answer(query, client) {
      const since = performance.now()
      engine.now = Date.now()
      const size = engine.ask(query, 0, query.length, client)
      if (size !== Outcome.forward) return take(size, since, 0)
      if (underWay >= mostUnderWay) return take(engine.fail(query, 0, query.length, client), since, 0)
      underWay += 1
      try {
        return await forward(query, client, since)
      } finally {
        underWay -= 1
      }
    },
  }
}
