import type { ClientRecord } from '../src/dns/policy/client-table.ts'
import { Row } from '../src/dns/policy/precedence.ts'
import type { RuleRecord } from '../src/dns/policy/rule-table.ts'
import { Reason, Status, type Verdict } from '../src/dns/policy/verdict.ts'
import { type TestList, readEntry } from './dns-policies.ts'

/** Everything a decision depends on, as it was written down. */
export interface Situation {
  readonly isFiltering: boolean
  readonly lists: readonly TestList[]
  readonly clients: readonly ClientRecord[]
  readonly rules: readonly RuleRecord[]
}

const parentsOf = (name: string): string[] => {
  const labels = name.split('.')
  return labels.map((_, k) => labels.slice(k).join('.'))
}

const special = new Set(['use-application-dns.net', 'mask.icloud.com', 'mask-h2.icloud.com'])

/** The precedence table in words a reader can follow: slow, with strings, nothing shared with what it checks. */
export function decideSlowly(situation: Situation, name: string, clientNumber: number): Verdict & { row: number } {
  const client = situation.clients.find(({ number }) => number === clientNumber)
  const allowed = { status: Status.allowed, reason: Reason.none, source: 0 } as const
  if (!situation.isFiltering || client?.filtering === false) return { ...allowed, reason: Reason.off, row: Row.off }
  for (const [row, scope] of [
    [Row.clientRule, client?.number ?? -1],
    [Row.globalRule, 0],
  ] as const) {
    for (const domain of parentsOf(name)) {
      const here = situation.rules.filter(
        (rule) => rule.client === scope && rule.domain === domain && !(rule.belowOnly && domain === name),
      )
      // Of rules that say the same the one for names below alone is more exact; of those that are alike the first counts.
      const inOrder = [true, false].flatMap((belowOnly) => here.filter((rule) => rule.belowOnly === belowOnly))
      const rule = inOrder.find(({ action }) => action === 'allow') ?? inOrder[0]
      if (rule === undefined) continue
      const status = rule.action === 'allow' ? Status.allowed : Status.blocked
      return { status, reason: Reason.rule, source: rule.number, row }
    }
  }
  if (special.has(name)) return { status: Status.blocked, reason: Reason.special, source: 0, row: Row.special }
  for (const [row, prefix, suffix] of [
    [Row.important, '@@', '$important'],
    [Row.important, '', '$important'],
    [Row.exception, '@@', ''],
    [Row.block, '', ''],
  ] as const) {
    for (const [list, entries] of situation.lists.entries()) {
      if (client !== undefined && client.lists !== null && !client.lists.includes(`list-${list}`)) continue
      const isNamed = entries.some((entry) => {
        if (entry.startsWith('@@') !== (prefix !== '') || entry.endsWith('$important') !== (suffix !== '')) return false
        const { domain, here, below } = readEntry(entry)
        return (here && domain === name) || (below && name.endsWith(`.${domain}`))
      })
      const status = prefix === '@@' ? Status.allowed : Status.blocked
      if (isNamed) return { status, reason: Reason.list, source: list, row }
    }
  }
  return { ...allowed, row: Row.nothing }
}
