import { Decider } from './policy/decide.ts'
import type { Policy } from './policy/policy.ts'
import { maxUpstreamBytes } from './upstream-query.ts'
import { Question } from './wire/question.ts'

/** The upstreams that a query goes to: those of its zone, or those for all names. Nothing in here allocates. */
export class QueryRoute {
  /** Group of upstreams, and the scope of their answers (see `ForwardedZone`); 0 for names in no zone. */
  group = 0
  scope = 0
  /** Scope of the query whose answer the engine accepts next; to be set before. */
  sentScope = 0
  readonly #question = new Question()
  readonly #decider = new Decider()

  /** Takes the zone that was found for a name. */
  take({ zones }: Policy, { zone }: Decider): void {
    this.group = zones.group(zone)
    this.scope = zones.scope(zone)
  }

  /** Finds the zone of the query u[at ..] that was written for an upstream. */
  find(policy: Policy, u: Uint8Array, at: number): void {
    this.group = 0
    this.scope = 0
    if (this.#question.read(u, at, Math.min(maxUpstreamBytes, u.length - at)) !== 0) return
    this.#decider.findZone(policy, this.#question.name)
    this.take(policy, this.#decider)
  }
}
