import { AnswerCheck, checksAddresses, Objection } from '../dns/answer-check.ts'
import type { EngineSettings } from '../dns/engine-settings.ts'
import { Decider } from '../dns/policy/decide.ts'
import { type Explained, type ExplainedMatch, explain, followsTargets } from '../dns/policy/explain.ts'
import { type Policy, isPausedAt } from '../dns/policy/policy.ts'
import { Row } from '../dns/policy/precedence.ts'
import { RecordWord } from '../dns/policy/record-layout.ts'
import { Reason, Status, type Verdict } from '../dns/policy/verdict.ts'
import { AliasChain, Lead } from '../dns/alias-chain.ts'
import { Type } from '../dns/wire/codes.ts'
import { Name, readName, textOf } from '../dns/wire/name.ts'
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
    group: number,
  ) => Promise<{ readonly answer: Uint8Array; readonly label: string }>
}

/**
 * Explains how a name would be answered, with the code that answers; with `resolve` it also finds the names and addresses
 * this one points to. Throws a `RangeError` for what is no domain name.
 */
export async function explainName(context: ExplainContext, request: ExplainRequest): Promise<Explanation> {
  const { clients, profiles } = context.policy
  const number = clients.profileOf(clients.indexOf(request.client))
  const holds = number === 0 ? 0 : profiles.holds(number)
  return { ...(await explained(context, request)), profile: { number, holds } }
}

type Unprofiled = Omit<Explanation, 'profile'>

async function explained(context: ExplainContext, request: ExplainRequest): Promise<Unprofiled> {
  const { domain, client, qtype } = request
  const question = { domain, client, now: Date.now(), type: qtype }
  const alone = explain(context.policy, question)
  if (alone.row === Row.record) return explainRecords(context, request, alone)
  return explainAnswer(context, { ...request, now: question.now, rowsType: qtype }, alone)
}

interface Asked extends ExplainRequest {
  readonly now: number
  /** The type that the rows of a decision are asked for. */
  readonly rowsType: number
}

/** Explains a name that upstreams are asked about, when it is not decided alone. */
async function explainAnswer(context: ExplainContext, asked: Asked, alone: Explained): Promise<Unprofiled> {
  const { domain, client, now, resolve, qtype, rowsType } = asked
  // A local name is sent to no upstream.
  const isQueried = alone.verdict.reason !== Reason.local && alone.row !== Row.rewrite
  const route = routeOf(context.policy, domain)
  const found = isQueried && resolve ? await answerFor(context, { domain, qtype, group: route.group }) : undefined
  const zone = isQueried && isAnswered(alone) ? route.zone : null
  if (found === undefined) return { ...alone, cnames: [], zone, server: null }
  const server = isAnswered(alone) ? found.label : null
  const cnames = cnamesOf(found.answer)
  const question = { domain, client, now, type: rowsType }
  const whole = explain(context.policy, question, { targets: cnames, addresses: addressesOf(found.answer) })
  const { verdict, name, matches } = whole
  if (!isPrivate(context, { verdict: alone.verdict, client }, found))
    return { verdict, name, matches, cnames, zone, server }
  return {
    verdict: { status: Status.blocked, reason: Reason.privateAnswer, source: 0 },
    name: domain,
    matches: matches.map(undecided),
    cnames,
    zone,
    server,
  }
}

/** A blocked name is sent to no server. */
const isAnswered = ({ verdict }: Explained): boolean => verdict.status === Status.allowed

/** The zone of a name, and the group of servers that are queried for it. */
function routeOf(policy: Policy, domain: string): { readonly zone: string | null; readonly group: number } {
  const question = new Question()
  const query = queryFor(domain, Type.a)
  if (query === undefined || question.read(query, 0, query.length) !== 0) return { zone: null, group: 0 }
  const decider = new Decider()
  decider.findZone(policy, question.name)
  const { zones } = policy
  if (decider.zone === 0) return { zone: null, group: 0 }
  return { zone: textOf(question.name, zones.label), group: zones.group(decider.zone) }
}

const undecided = (match: ExplainedMatch): ExplainedMatch => Object.assign({}, match, { isDeciding: false })

/** Explains a name with local records: its aliases lead to other names, each of which is decided about. */
async function explainRecords(context: ExplainContext, request: ExplainRequest, alone: Explained): Promise<Unprofiled> {
  const { policy } = context
  const { client } = request
  const now = Date.now()
  const { lead, names } = aliasesOf(policy, request, now)
  const last = names.at(-1)
  const unasked = { zone: null, server: null }
  if (last === undefined) return { ...alone, cnames: [], ...unasked }
  const matches = [...alone.matches]
  for (const domain of names) {
    const question = { domain, client, now, type: Type.cname }
    const target = explain(policy, question)
    const isUpstream = domain === last && lead === Lead.upstream
    const asked = { ...request, domain, now, rowsType: Type.cname }
    const answer = isUpstream ? await explainAnswer(context, asked, target) : { ...target, cnames: [], ...unasked }
    const cnames = [...names, ...answer.cnames]
    if (answer.verdict.status === Status.blocked) return { ...answer, matches: [...matches, ...answer.matches], cnames }
    matches.push(...answer.matches.map(undecided))
    if (domain === last) return { ...alone, matches, cnames, zone: answer.zone, server: answer.server }
  }
  return { ...alone, matches, cnames: names, ...unasked }
}

/** The names that the local CNAME records of a name lead to, and where the last one leads. */
function aliasesOf(policy: Policy, { domain, client, qtype }: ExplainRequest, now: number) {
  const names: string[] = []
  const question = new Question()
  const query = queryFor(domain, qtype)
  if (query === undefined || question.read(query, 0, query.length) !== 0) return { lead: Lead.records, names }
  const decider = new Decider()
  const isPaused = isPausedAt(policy, now)
  decider.type = qtype
  decider.decide(policy, question.name, client, isPaused, null)
  if (decider.records === 0 || qtype === Type.any) return { lead: Lead.records, names }
  const chain = new AliasChain()
  const lead = chain.follow({ policy, client, isPaused }, question, decider)
  const { words, bytes } = policy.records
  for (const alias of chain.aliases.subarray(0, chain.count)) {
    const at = words[alias + RecordWord.dataAt]!
    const message = Uint8Array.from([
      ...new Uint8Array(12),
      ...bytes.subarray(at, at + words[alias + RecordWord.dataLength]!),
    ])
    const name = new Name()
    readName(name, message, 0, message.length, 12)
    names.push(textOf(name))
  }
  return { lead, names }
}

interface Found {
  readonly query: Uint8Array
  readonly answer: Uint8Array
  /** Of the server. */
  readonly label: string
}

/** Queries an upstream; for the IPv4 address of a name that has none, returns the answer about the IPv6 address. */
async function answerFor(
  context: ExplainContext,
  { domain, qtype, group }: { readonly domain: string; readonly qtype: number; readonly group: number },
): Promise<Found | undefined> {
  let found: Found | undefined
  for (const type of qtype === Type.a ? [Type.a, Type.aaaa] : [qtype]) {
    const query = queryFor(domain, type)
    if (query === undefined) return undefined
    const received = await context.query(query, isAnswerTo(query), group).catch(() => undefined)
    if (received === undefined) return found
    const { answer, label } = received
    found = { query, answer, label }
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
  const router = new Decider()
  router.findZone(policy, question.name)
  if (!checksAddresses({ settings, decider: { reason: verdict.reason, zone: router.zone } }, question.name))
    return false
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
