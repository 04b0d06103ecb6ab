import { AnswerCheck, checksAddresses, Objection } from '../dns/answer-check.ts'
import type { EngineSettings } from '../dns/engine-settings.ts'
import { isPausedAt } from '../dns/policy/decide.ts'
import { explain, followsTargets } from '../dns/policy/explain.ts'
import type { Policy } from '../dns/policy/policy.ts'
import { Row } from '../dns/policy/precedence.ts'
import { Reason, Status, type Verdict } from '../dns/policy/verdict.ts'
import { Type } from '../dns/wire/codes.ts'
import { isSameQuestion, Question } from '../dns/wire/question.ts'
import { addressesOf, cnamesOf, countOf, queryFor } from './packets.ts'
import type { ExplainRequest, Explanation } from './messages.ts'

/** Dependencies of an explanation: the policy in force, and a way to an upstream (see `UpstreamServers.query`). */
export interface ExplainContext {
  readonly policy: Policy
  readonly settings: EngineSettings
  readonly query: (
    query: Uint8Array,
    isGood: (answer: Uint8Array) => boolean,
  ) => Promise<{ readonly answer: Uint8Array }>
}

/**
 * Explains how a name would be answered, with the code that answers; with `resolve` it also finds the names and addresses
 * this one points to. Throws a `RangeError` for what is no domain name.
 */
export async function explainName(
  context: ExplainContext,
  { domain, client, resolve, qtype }: ExplainRequest,
): Promise<Explanation> {
  const { policy } = context
  const question = { domain, client, now: Date.now(), type: qtype }
  const alone = explain(policy, question)
  // A local name is sent to no upstream.
  const isQueried = resolve && alone.verdict.reason !== Reason.local && alone.row !== Row.rewrite
  const found = isQueried ? await answerFor(context, domain, qtype) : undefined
  if (found === undefined) return { ...alone, cnames: [] }
  const cnames = cnamesOf(found.answer)
  const whole = explain(policy, question, { targets: cnames, addresses: addressesOf(found.answer) })
  const { verdict, name, matches } = whole
  if (!isPrivate(context, { verdict: alone.verdict, client }, found)) return { verdict, name, matches, cnames }
  return {
    verdict: { status: Status.blocked, reason: Reason.privateAnswer, source: 0 },
    name: domain,
    matches: matches.map((match) => Object.assign({}, match, { isDeciding: false })),
    cnames,
  }
}

interface Found {
  readonly query: Uint8Array
  readonly answer: Uint8Array
}

/** Queries an upstream; for the IPv4 address of a name that has none, returns the answer about the IPv6 address. */
async function answerFor(context: ExplainContext, domain: string, qtype: number): Promise<Found | undefined> {
  let found: Found | undefined
  for (const type of qtype === Type.a ? [Type.a, Type.aaaa] : [qtype]) {
    const query = queryFor(domain, type)
    if (query === undefined) return undefined
    const received = await context.query(query, isAnswerTo(query)).catch(() => undefined)
    if (received === undefined) return found
    const { answer } = received
    found = { query, answer }
    if (countOf(answer) > cnamesOf(answer).length) return found
  }
  return found
}

/** Returns true if the answer is kept from this client because of a private address: by the same check, in the same order, as answers. */
function isPrivate(
  { policy, settings }: ExplainContext,
  { verdict, client }: { readonly verdict: Verdict; readonly client: number },
  { query, answer }: Found,
): boolean {
  if (verdict.status !== Status.allowed) return false
  const question = new Question()
  question.read(query, 0, query.length)
  if (!checksAddresses({ settings, decider: verdict }, question.name)) return false
  if (!isSameQuestion(question, answer, 0, answer.length)) return false
  const check = new AnswerCheck()
  check.checksTargets = followsTargets(verdict)
  check.checksAddresses = true
  const answerContext = { policy, client, isPaused: isPausedAt(policy, Date.now()), question }
  return check.check(answerContext, answer, 0, answer.length, countOf(answer)) === Objection.privateAddress
}

const isAnswerTo =
  (query: Uint8Array) =>
  (answer: Uint8Array): boolean =>
    answer.length >= 12 && answer[0] === query[0] && answer[1] === query[1] && (answer[2]! & 0x80) !== 0
