import { AnswerCache } from '../src/dns/answer-cache.ts'
import type { EngineSettings } from '../src/dns/engine-settings.ts'
import { Engine } from '../src/dns/engine.ts'
import { type Answered, Outcome } from '../src/dns/outcome.ts'
import type { Policy } from '../src/dns/policy/policy.ts'
import { type ReadMessage, type TestMessage, type TestRecord, decodeMessage, encodeMessage } from './dns-messages.ts'
import { plainSettings, policyOf } from './dns-policies.ts'

/** Answer of an upstream; undefined for silence. */
export type TestUpstream = (query: ReadMessage, group: number) => Omit<TestMessage, 'id' | 'name' | 'type'> | undefined

/** An engine with everything around it that a query needs: an upstream that answers at once, and a clock. */
export function createTestEngine(
  options: { policy?: Policy; settings?: Partial<EngineSettings>; cacheSize?: number; upstream?: TestUpstream } = {},
) {
  const settings = { ...plainSettings, ...options.settings }
  const engine = new Engine({
    policy: options.policy ?? policyOf({}),
    cache: new AnswerCache(options.cacheSize ?? 1000),
    settings,
  })
  engine.now = 1_790_000_000_000
  const state = { upstream: options.upstream ?? (() => undefined), forwarded: [] as ReadMessage[], id: 1 }

  /** Returns the engine's answer to a message; undefined when there is none. */
  function send(query: Uint8Array, client = 0): ReadMessage | undefined {
    let length = engine.handleQuery(query, 0, query.length, client)
    if (length === Outcome.forward) length = forward(query, client)
    return length === Outcome.drop ? undefined : decodeMessage(engine.out.slice(engine.outAt, engine.outAt + length))
  }

  function forward(query: Uint8Array, client: number): number {
    const u = new Uint8Array(400).fill(0xff)
    const sent = engine.writeUpstream(u, 50, state.id++)
    const asked = decodeMessage(u.slice(50, 50 + sent))
    state.forwarded.push(asked)
    const { group, scope } = engine.route
    const said = state.upstream(asked, group)
    engine.route.sentScope = scope
    if (said === undefined) return engine.fail(query, 0, query.length, client)
    const answer = encodeMessage({ flags: 0x8180, ...said, id: asked.id, name: asked.name!, type: asked.type })
    if (!engine.accept(answer, 0, answer.length, u, 50)) throw new Error('the answer was not accepted')
    const answered: Answered = {
      query,
      queryAt: 0,
      queryLength: query.length,
      client,
      answer,
      answerAt: 0,
      answerLength: answer.length,
    }
    const length = engine.finish(answered)
    return length === Outcome.forward ? forward(query, client) : length
  }

  /** Asks as a client would. Throws when nothing comes back. */
  function ask(name: string, type = 1, more: TestMessage & { client?: number } = {}): ReadMessage {
    const answer = send(encodeMessage({ ...more, name, type }), more.client)
    if (answer === undefined) throw new Error('no answer')
    return answer
  }

  return {
    engine,
    settings,
    /** The queries upstreams got. */
    forwarded: state.forwarded,
    send,
    ask,
    use(upstream: TestUpstream): void {
      state.upstream = upstream
    },
    /** Lets time pass. */
    wait(seconds: number): void {
      engine.now += seconds * 1000
    },
  }
}

export const aRecord = (name: string, address: readonly number[], ttl = 300): TestRecord => ({
  name,
  ttl,
  type: address.length === 4 ? 1 : 28,
  data: Uint8Array.from(address),
})

export const cname = (name: string, target: string, ttl = 300): TestRecord => ({ name, type: 5, ttl, data: target })
