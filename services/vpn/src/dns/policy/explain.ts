import { addressBytes } from '../address-bytes.ts'
import { Type } from '../wire/codes.ts'
import { type Name, readName, textOf, writeDotted } from '../wire/name.ts'
import { wireName } from '../wire/wire-name.ts'
import { Decider } from './decide.ts'
import type { Trace } from './trace.ts'
import { Meaning } from './membership.ts'
import { explainPatterns } from './patterns.ts'
import { modifierNames } from './modifier-names.ts'
import { type Policy, listsInForce, isPausedAt } from './policy.ts'
import { Row } from './precedence.ts'
import { RuleKind } from './rule-table.ts'
import { Reason, Status, safeSearchSource, type Verdict } from './verdict.ts'

/** A rule, a list's entry or a local name that matches a name. */
export interface ExplainedMatch {
  readonly name: string
  readonly kind: 'rule' | 'list' | 'record'
  readonly action: 'block' | 'allow'
  /** Rule number, list number or `recordSource` and the like. */
  readonly source: number
  /** The client's rule, its profile's or everyone's; lists and local names: null. */
  readonly scope: 'client' | 'profile' | 'global' | null
  /** In Adblock's words: `||ads.example^`, `|exact.example|`, `*.below.example`, or the pattern. */
  readonly text: string
  readonly important: boolean
  /** Names of the rule's modifiers that are conditions, or that give the answer. */
  readonly modifiers: readonly string[]
  readonly isDeciding: boolean
}

/** A question to explain: its name and type, the client and the time. */
export interface ExplainedQuestion {
  readonly domain: string
  /** The client's number. */
  readonly client: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** DNS type; A unless given. */
  readonly type?: number
}

/** Targets and addresses of an answer, in its order. */
export interface ExplainedAnswer {
  readonly targets: readonly string[]
  /** Addresses in the answer. */
  readonly addresses: readonly string[]
}

/** Explanation of a decision. */
export interface Explained {
  readonly verdict: Verdict
  /** The name that decided. */
  readonly name: string
  /** The row of the precedence table that decided, see `precedence.ts`. */
  readonly row: number
  /** The queried name's matches in the order of precedence, then those of each name it leads to, as far as they were examined. */
  readonly matches: readonly ExplainedMatch[]
}

type Found = Omit<ExplainedMatch, 'name' | 'isDeciding'> & {
  readonly row: number
  readonly depth: number
  /** Place among the conditional rules. */
  readonly place?: number
}

/**
 * Explains the answer to a domain for a client by the same steps as for a query, without stopping at the first match. `answer`
 * is what it leads to. Throws a `RangeError` for what is no domain name.
 */
export function explain(
  policy: Policy,
  question: ExplainedQuestion,
  { targets, addresses }: ExplainedAnswer = { targets: [], addresses: [] },
): Explained {
  const decider = new Decider()
  const queried = explainName(decider, policy, question)
  const matches = [...queried.matches]
  if (!followsTargets(queried.verdict)) return queried
  for (const domain of targets) {
    const target = explainName(decider, policy, { ...question, domain, type: Type.cname })
    const isBlocked = target.verdict.status === Status.blocked
    // A target with its own allow rule decides nothing, because the next target may be blocked.
    for (const match of target.matches)
      matches.push(isBlocked ? match : Object.assign({}, match, { isDeciding: false }))
    if (isBlocked) return { ...target, matches }
  }
  for (const address of addresses) {
    const found = explainAddress(decider, policy, { address, client: question.client })
    matches.push(...found.matches)
    if (found.verdict.status === Status.blocked) return { ...found, matches }
  }
  return { ...queried, matches }
}

/**
 * Returns true if the names an answer leads to are examined: not when the queried name was blocked, or has its own allow rule.
 */
export const followsTargets = (verdict: Verdict): boolean =>
  verdict.status === Status.allowed && verdict.reason === Reason.none

/** Explains what rules about addresses decide about one in the answer. */
function explainAddress(
  decider: Decider,
  policy: Policy,
  { address, client }: { readonly address: string; readonly client: number },
): Explained {
  const bytes = addressBytes(address)
  if (bytes === undefined) throw new RangeError(`"${address}" is no address`)
  decider.type = bytes.length === 4 ? Type.a : Type.aaaa
  decider.decideAddress(policy, bytes, 0, bytes.length, client)
  const { conditional } = policy
  const found = [...conditional.matched.subarray(0, conditional.count)].map((place) => conditionalMatch(policy, place))
  return explainedOf(decider, address, found)
}

function explainName(decider: Decider, policy: Policy, question: ExplainedQuestion): Explained {
  const wire = wireName(question.domain)
  const name = emptyName()
  // A name stands in a message behind a header, so that is where it is read.
  const message = Uint8Array.from([...new Uint8Array(12), ...(wire ?? [])])
  if (wire === undefined || readName(name, message, 0, message.length, 12) < 0) {
    throw new RangeError(`"${question.domain}" is no domain name`)
  }
  const client = policy.clients.indexOf(question.client)
  const found: Found[] = []
  decider.type = question.type ?? Type.a
  decider.decide(policy, name, question.client, isPausedAt(policy, question.now), collect(policy, name, client, found))
  found.push(...patternMatches(policy, name, listsInForce(policy, client)))
  return explainedOf(decider, textOf(name), found)
}

function explainedOf(decider: Decider, name: string, unordered: readonly Found[]): Explained {
  const found = unordered.toSorted((a, b) => inOrder(a) - inOrder(b))
  const { status, reason, source, row, condition } = decider
  const deciding = found.find(
    (match) =>
      match.row === row &&
      match.source === source &&
      actionOf(status) === match.action &&
      (match.place ?? -1) === condition,
  )
  return {
    verdict: { status, reason, source },
    name,
    row,
    matches: found.map((match) => ({
      name,
      kind: match.kind,
      action: match.action,
      source: match.source,
      scope: match.scope,
      text: match.text,
      important: match.important,
      modifiers: match.modifiers,
      isDeciding: match === deciding,
    })),
  }
}

const emptyName = (): Name => ({ bytes: new Uint8Array(256), length: 0, labels: new Uint8Array(128), count: 0 })

const actionOf = (status: number): 'block' | 'allow' => (status === Status.blocked ? 'block' : 'allow')

/** Local records stand between rules and lists; rules by row, then by how specific they are, allow first; lists by row, allow first, then by number, then the same way. */
function inOrder({ row, kind, action, depth, source }: Found): number {
  const isBlock = action === 'allow' ? 0 : 1
  return placeOf(row) * 1_000_000 + (kind !== 'list' ? depth * 10 + isBlock : isBlock * 500_000 + source * 1000 + depth)
}

/** The place of a row among the others; their numbers are older than their order. */
function placeOf(row: number): number {
  if (row === Row.rewrite) return Row.important - 0.5
  if (row === Row.record) return Row.globalRule + 0.25
  return row === Row.profileRule ? Row.clientRule + 0.5 : row
}

/** Records every match on the way to a decision. */
function collect(policy: Policy, name: Name, client: number, found: Found[]): Trace {
  const lists = listsInForce(policy, client)
  return {
    rules(row, label, at) {
      const scope = row === Row.clientRule ? 'client' : row === Row.profileRule ? 'profile' : 'global'
      for (const kind of ['allowBelow', 'allow', 'blockBelow', 'block'] as const) {
        const source = policy.rules.words[at + RuleKind[kind]]!
        const isBelow = kind.endsWith('Below')
        if (source === 0 || (isBelow && label === 0)) continue
        const text = isBelow ? `*.${textOf(name, label)}` : `||${textOf(name, label)}^`
        const action = kind.startsWith('allow') ? 'allow' : 'block'
        found.push({ row, depth: label, kind: 'rule', action, source, scope, text, important: false, modifiers: [] })
      }
    },
    records(label, source) {
      const text = label === 0 ? textOf(name) : `*.${textOf(name, label)}`
      const local = {
        row: Row.record,
        depth: label,
        kind: 'record',
        action: 'allow',
        source,
        scope: source === safeSearchSource ? 'profile' : null,
        text,
      } as const
      found.push({ ...local, important: false, modifiers: [] })
    },
    lists(label, at) {
      const { classes } = policy.bundle
      for (let meaning = 0; meaning < Meaning.below; meaning++) {
        const here = classes[at + meaning]!
        const below = classes[at + meaning + Meaning.below]!
        for (const list of bitsOf((label === 0 ? here : below) & lists)) {
          const isBoth = ((here & below) >>> list) & 1
          const domain = textOf(name, label)
          const text = isBoth ? `||${domain}^` : label === 0 ? `|${domain}|` : `*.${domain}`
          found.push({ ...fromList(meaning, list), depth: label, text })
        }
      }
    },
    conditional(place) {
      found.push(conditionalMatch(policy, place))
    },
  }
}

function conditionalMatch({ conditional }: Policy, place: number): Found {
  const { text, list, meaning, rewrite, data, traits } = conditional.rules[place]!
  const match = { ...fromList(meaning, list), depth: 300, text, place, modifiers: modifierNames(traits) }
  if (rewrite === null) return match
  const isException = match.action === 'allow'
  return Object.assign(match, { row: Row.rewrite, action: isException || data !== undefined ? 'allow' : 'block' })
}

function patternMatches(policy: Policy, name: Name, lists: number): Found[] {
  const dotted = new Uint8Array(256)
  const length = writeDotted(name, dotted)
  return explainPatterns(policy.bundle.patterns, dotted, length)
    .filter(({ list }) => ((lists >>> list) & 1) === 1)
    .map(({ meaning, list, text }) => Object.assign(fromList(meaning % Meaning.below, list), { depth: 200, text }))
}

function fromList(meaning: number, list: number): Omit<Found, 'depth' | 'text'> {
  const important = meaning === Meaning.allowsImportantly || meaning === Meaning.blocksImportantly
  const action = meaning === Meaning.allows || meaning === Meaning.allowsImportantly ? 'allow' : 'block'
  const row = important ? Row.important : action === 'allow' ? Row.exception : Row.block
  return { row, kind: 'list', action, source: list, scope: null, important, modifiers: [] }
}

function bitsOf(set: number): number[] {
  const bits: number[] = []
  for (let left = set >>> 0; left !== 0; left = (left & (left - 1)) >>> 0) bits.push(31 - Math.clz32(left & -left))
  return bits
}
