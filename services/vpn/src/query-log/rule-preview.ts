import { Reason, Status, Trait } from '../dns/policy/verdict.ts'
import type { KindRow } from './interned-kinds.ts'
import type { LogView } from './log-file.ts'

const day = 86_400_000

/** A rule to preview. Domains are lower case, punycode, without `*.` and a final dot. */
export interface PreviewedRule {
  readonly action: 'block' | 'allow'
  readonly domain: string
  /** Only what is below the domain. */
  readonly belowOnly: boolean
  /** A client's number; 0 for everyone. */
  readonly client: number
}

/** A rule to try, and the rules there are, by number: what they decided may stand. */
export interface PreviewRequest {
  readonly rule: PreviewedRule
  readonly rules: readonly (PreviewedRule & { readonly number: number })[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Counts the queries of the last 24 hours that a rule would have changed. */
export interface Preview {
  readonly changed: number
  /** Queries for names the rule is about, changed or not. */
  readonly matching: number
  /** Most first. */
  readonly clients: readonly { readonly client: number; readonly name: string | null; readonly changed: number }[]
}

/** Tries a rule on the queries of the last 24 hours. What was not logged is not counted. */
export function previewRule(view: LogView, { rule, rules, now }: PreviewRequest): Preview {
  const names = view.names.under(rule.domain, rule.belowOnly)
  const byNumber = new Map(rules.map((each) => [each.number, each]))
  const changes = view.kinds.map((kind) => kind !== undefined && wouldChange(kind, rule, byNumber.get(kind.source)))
  const byClient = new Map<number, number>()
  let matching = 0
  for (const segment of view.segments) {
    if (segment.lastAt < now - day || segment.firstAt > now) continue
    const [column, clients, kinds] = [segment.names(), segment.clients(), segment.kinds()]
    const timeOf = segment.times()
    for (let n = 0; n < segment.rows; n++) {
      if (!names.has(column[n]!)) continue
      const client = clients[n]!
      if ((rule.client !== 0 && client !== rule.client) || timeOf(n) < now - day) continue
      matching += 1
      if (changes[kinds[n]!] === true) byClient.set(client, (byClient.get(client) ?? 0) + 1)
    }
  }
  const called = new Map(view.clients().map(({ number, name }) => [number, name]))
  const clients = [...byClient]
    .map(([client, changed]) => ({ client, name: called.get(client) ?? null, changed }))
    .sort((a, b) => b.changed - a.changed)
  return { changed: clients.reduce((sum, { changed }) => sum + changed, 0), matching, clients }
}

/** Returns true if a query that ended this way would have ended otherwise; by the table of precedence. */
function wouldChange(kind: KindRow, rule: PreviewedRule, decider: PreviewedRule | undefined): boolean {
  const isBlocked = kind.status === Status.blocked
  if (isBlocked === (rule.action === 'block')) return false
  // Nothing is filtered.
  if (kind.reason === Reason.off) return false
  if (kind.reason !== Reason.rule || decider === undefined) return true
  // A name in the answer decided: a rule about the queried name comes first.
  if ((kind.traits & Trait.cname) !== 0) return true
  return isStronger(rule, decider)
}

function isStronger(rule: PreviewedRule, other: PreviewedRule): boolean {
  if ((rule.client === 0) !== (other.client === 0)) return rule.client !== 0
  const difference = specificity(rule) - specificity(other)
  return difference === 0 ? rule.action === 'allow' : difference > 0
}

/** More labels are more specific. */
const specificity = ({ domain }: PreviewedRule): number => domain.split('.').length
