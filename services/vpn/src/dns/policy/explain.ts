import { type Name, readName, textOf, writeDotted } from '../wire/name.ts'
import { wireName } from '../wire/wire-name.ts'
import { Decider, type Trace, isPausedAt } from './decide.ts'
import { Meaning } from './membership.ts'
import { explainPatterns } from './patterns.ts'
import type { Policy } from './policy.ts'
import { Row } from './precedence.ts'
import { RuleKind } from './rule-table.ts'
import { Reason, Status, type Verdict } from './verdict.ts'

/** A rule or a list's entry that matches a name. */
export interface ExplainedMatch {
  readonly name: string
  readonly kind: 'rule' | 'list'
  readonly action: 'block' | 'allow'
  /** Rule number or list number. */
  readonly source: number
  /** The client's rule or everyone's; lists: null. */
  readonly scope: 'client' | 'global' | null
  /** In Adblock's words: `||ads.example^`, `|exact.example|`, `*.below.example`, or the pattern. */
  readonly text: string
  readonly important: boolean
  readonly isDeciding: boolean
}

/** Why names would be answered as they are. */
export interface Explained {
  readonly verdict: Verdict
  /** The name that decided. */
  readonly name: string
  /** The row of the precedence table that decided, see `precedence.ts`. */
  readonly row: number
  /** The asked name's matches in the order of precedence, then those of each name it leads to, as far as they were looked at. */
  readonly matches: readonly ExplainedMatch[]
}

type Found = Omit<ExplainedMatch, 'name' | 'isDeciding'> & { readonly row: number; readonly depth: number }

/**
 * Says why a domain would be answered as it is for a client: the same steps as for a query, to the last. `targets` are the names
 * it leads to, in the order of the answer. Throws a `RangeError` for what is no domain name.
 */
export function explain(
  policy: Policy,
  question: { readonly domain: string; readonly client: number; readonly now: number },
  targets: readonly string[] = [],
): Explained {
  const decider = new Decider()
  const asked = explainName(decider, policy, question)
  const matches = [...asked.matches]
  if (!followsTargets(asked.verdict)) return asked
  for (const domain of targets) {
    const target = explainName(decider, policy, { ...question, domain })
    const isBlocked = target.verdict.status === Status.blocked
    // A target that is allowed by a word of its own decides nothing: the next one may be blocked.
    for (const match of target.matches)
      matches.push(isBlocked ? match : Object.assign({}, match, { isDeciding: false }))
    if (isBlocked) return { ...target, matches }
  }
  return { ...asked, matches }
}

/** Whether the names an answer leads to are looked at: not when the question was blocked, or allowed by a word of its own. */
export const followsTargets = (verdict: Verdict): boolean =>
  verdict.status === Status.allowed && verdict.reason === Reason.none

function explainName(
  decider: Decider,
  policy: Policy,
  question: { readonly domain: string; readonly client: number; readonly now: number },
): Explained {
  const wire = wireName(question.domain)
  const name = emptyName()
  // A name stands in a message behind a header, so that is where it is read.
  const message = Uint8Array.from([...new Uint8Array(12), ...(wire ?? [])])
  if (wire === undefined || readName(name, message, 0, message.length, 12) < 0) {
    throw new RangeError(`"${question.domain}" is no domain name`)
  }
  const client = policy.clients.indexOf(question.client)
  const found: Found[] = []
  decider.decide(policy, name, question.client, isPausedAt(policy, question.now), collect(policy, name, client, found))
  found.push(...patternMatches(policy, name, policy.clients.listsOf(client)))
  found.sort((a, b) => inOrder(a) - inOrder(b))
  const { status, reason, source, row } = decider
  const deciding = found.find(
    (match) => match.row === row && match.source === source && actionOf(status) === match.action,
  )
  return {
    verdict: { status, reason, source },
    name: textOf(name),
    row,
    matches: found.map((match) => ({
      name: textOf(name),
      kind: match.kind,
      action: match.action,
      source: match.source,
      scope: match.scope,
      text: match.text,
      important: match.important,
      isDeciding: match === deciding,
    })),
  }
}

const emptyName = (): Name => ({ bytes: new Uint8Array(256), length: 0, labels: new Uint8Array(128), count: 0 })

const actionOf = (status: number): 'block' | 'allow' => (status === Status.blocked ? 'block' : 'allow')

/** Rules by row, then by how specific they are, allow first; lists by row, allow first, then by number, then the same way. */
function inOrder({ row, kind, action, depth, source }: Found): number {
  const isBlock = action === 'allow' ? 0 : 1
  return row * 1_000_000 + (kind === 'rule' ? depth * 10 + isBlock : isBlock * 500_000 + source * 1000 + depth)
}

/** Notes what a decision comes across. */
function collect(policy: Policy, name: Name, client: number, found: Found[]): Trace {
  const lists = policy.clients.listsOf(client)
  return {
    rules(row, label, at) {
      const scope = row === Row.clientRule ? 'client' : 'global'
      for (const kind of ['allowBelow', 'allow', 'blockBelow', 'block'] as const) {
        const source = policy.rules.words[at + RuleKind[kind]]!
        const isBelow = kind.endsWith('Below')
        if (source === 0 || (isBelow && label === 0)) continue
        const text = isBelow ? `*.${textOf(name, label)}` : `||${textOf(name, label)}^`
        const action = kind.startsWith('allow') ? 'allow' : 'block'
        found.push({ row, depth: label, kind: 'rule', action, source, scope, text, important: false })
      }
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
  }
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
  return { row, kind: 'list', action, source: list, scope: null, important }
}

function bitsOf(set: number): number[] {
  const bits: number[] = []
  for (let left = set >>> 0; left !== 0; left = (left & (left - 1)) >>> 0) bits.push(31 - Math.clz32(left & -left))
  return bits
}
