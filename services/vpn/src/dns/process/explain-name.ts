import { explain } from '../policy/explain.ts'
import type { Policy } from '../policy/policy.ts'
import { cnamesOf } from './cnames-of.ts'
import { Reason } from '../policy/verdict.ts'
import { queryFor } from './query-for.ts'
import type { Explanation } from './messages.ts'

/** Asks an upstream, see `UpstreamServers.ask`. */
type Ask = (query: Uint8Array, isGood: (answer: Uint8Array) => boolean) => Promise<{ readonly answer: Uint8Array }>

/**
 * Says why a name would be answered as it is, with the code that answers; when asked to, it finds out the names this one leads
 * to. Throws a `RangeError` for what is no domain name.
 */
export async function explainName(
  policy: Policy,
  { domain, client, resolve }: { readonly domain: string; readonly client: number; readonly resolve: boolean },
  ask: Ask,
): Promise<Explanation> {
  const question = { domain, client, now: Date.now() }
  const alone = explain(policy, question)
  // No upstream hears of a local name.
  const query = resolve && alone.verdict.reason !== Reason.local ? queryFor(domain, 1) : undefined
  const cnames =
    query === undefined
      ? []
      : await ask(query, isAnswerTo(query)).then(
          ({ answer }) => cnamesOf(answer),
          () => [],
        )
  const { verdict, name, matches } = cnames.length === 0 ? alone : explain(policy, question, cnames)
  return { verdict, name, matches, cnames }
}

const isAnswerTo =
  (query: Uint8Array) =>
  (answer: Uint8Array): boolean =>
    answer.length >= 12 && answer[0] === query[0] && answer[1] === query[1] && (answer[2]! & 0x80) !== 0
