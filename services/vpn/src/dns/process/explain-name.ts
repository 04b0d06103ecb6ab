import { AnswerCheck, checksAddresses, Objection } from '../answer-check.ts'
import type { EngineSettings } from '../engine-settings.ts'
import { explain } from '../policy/explain.ts'
import type { Policy } from '../policy/policy.ts'
import { Reason, Status, type Verdict } from '../policy/verdict.ts'
import { Type } from '../wire/codes.ts'
import { isSameQuestion, Question } from '../wire/question.ts'
import { cnamesOf } from './cnames-of.ts'
import type { Explanation } from './messages.ts'
import { queryFor } from './query-for.ts'

/** What an explanation is made with: what the resolver decides by, and a way to an upstream (see `UpstreamServers.ask`). */
export interface ExplainContext {
  readonly policy: Policy
  readonly settings: EngineSettings
  readonly ask: (query: Uint8Array, isGood: (answer: Uint8Array) => boolean) => Promise<{ readonly answer: Uint8Array }>
}

/**
 * Says why a name would be answered as it is, with the code that answers; when asked to, it finds out the names and addresses
 * this one leads to. Throws a `RangeError` for what is no domain name.
 */
export async function explainName(
  context: ExplainContext,
  { domain, client, resolve }: { readonly domain: string; readonly client: number; readonly resolve: boolean },
): Promise<Explanation> {
  const { policy } = context
  const question = { domain, client, now: Date.now() }
  const alone = explain(policy, question)
  // No upstream hears of a local name.
  const isAsked = resolve && alone.verdict.reason !== Reason.local
  const found = isAsked ? await addressesOf(context, domain) : undefined
  const cnames = found === undefined ? [] : cnamesOf(found.answer)
  const { verdict, name, matches } = cnames.length === 0 ? alone : explain(policy, question, cnames)
  const isPrivate = found !== undefined && verdict.status === Status.allowed && leadsInside(context, verdict, found)
  return {
    verdict: isPrivate ? { status: Status.blocked, reason: Reason.privateAnswer, source: 0 } : verdict,
    name,
    matches,
    cnames,
  }
}

interface Found {
  readonly query: Uint8Array
  readonly answer: Uint8Array
}

/** What an upstream answers for the name's IPv4 address, or, when it has none, for its IPv6 address. */
async function addressesOf({ ask }: ExplainContext, domain: string): Promise<Found | undefined> {
  let found: Found | undefined
  for (const type of [Type.a, Type.aaaa]) {
    const query = queryFor(domain, type)
    if (query === undefined) return undefined
    const asked = await ask(query, isAnswerTo(query)).catch(() => undefined)
    if (asked === undefined) return found
    found = { query, answer: asked.answer }
    if (countOf(asked.answer) > cnamesOf(asked.answer).length) return found
  }
  return found
}

/** Whether the answer is kept from clients because of its addresses. */
function leadsInside({ policy, settings }: ExplainContext, verdict: Verdict, { query, answer }: Found): boolean {
  const question = new Question()
  question.read(query, 0, query.length)
  if (!checksAddresses({ settings, decider: verdict }, question.name)) return false
  if (!isSameQuestion(question, answer, 0, answer.length)) return false
  const check = new AnswerCheck()
  check.checksAddresses = true
  const asker = { policy, client: 0, isPaused: false, question }
  return check.check(asker, answer, 0, answer.length, countOf(answer)) === Objection.privateAddress
}

const countOf = (answer: Uint8Array): number => (answer[6]! << 8) | answer[7]!

const isAnswerTo =
  (query: Uint8Array) =>
  (answer: Uint8Array): boolean =>
    answer.length >= 12 && answer[0] === query[0] && answer[1] === query[1] && (answer[2]! & 0x80) !== 0
