import { isIP } from 'node:net'
import type { ForeignStore } from '../../foreign-files/foreign-store.ts'
import type { DnsFinds, FoundRule } from '../found-dns.ts'

/** A list of Pi-hole by its number. */
export interface GroupedList {
  readonly id: number
  readonly url: string
}

/** A rule of Pi-hole by its number. */
export interface GroupedRule extends FoundRule {
  readonly id: number
}

interface Grouped {
  readonly lists: readonly GroupedList[]
  readonly rules: readonly GroupedRule[]
}

/** The group Default: that of every client that is in no list of clients. */
const defaultGroup = 0

/**
 * Takes rules for everyone, those of the group Default, and a profile for each other set of groups that clients are in. When lists
 * are in other groups alone, those of Default are a profile, too, because each list holds for everybody here.
 */
export function takeGroups(finds: DnsFinds, store: ForeignStore, { lists, rules }: Grouped): void {
  const off = new Set(rowsOf(store, 'group').flatMap((row) => (row['enabled'] === 0 ? [Number(row['id'])] : [])))
  const groupsOf = (table: string, column: string) => {
    const found = new Map<number, Set<number>>()
    for (const row of rowsOf(store, table)) {
      const [id, group] = [Number(row[column]), Number(row['group_id'])]
      if (!off.has(group)) found.set(id, (found.get(id) ?? new Set()).add(group))
    }
    return (id: number): ReadonlySet<number> =>
      store.tables.has(table) ? (found.get(id) ?? new Set<number>()) : new Set([defaultGroup])
  }
  const [ofList, ofRule] = [groupsOf('adlist_by_group', 'adlist_id'), groupsOf('domainlist_by_group', 'domainlist_id')]
  for (const rule of rules) if (ofRule(rule.id).has(defaultGroup)) finds.rules.push(ruleOf(rule))
  const held = (groups: ReadonlySet<number>) => {
    const urls = lists.filter(({ id }) => !ofList(id).isDisjointFrom(groups)).map(({ url }) => url)
    return {
      lists: urls.length === lists.length ? null : urls,
      rules: rules
        .filter(({ id, enabled }) => enabled && !ofRule(id).has(defaultGroup) && !ofRule(id).isDisjointFrom(groups))
        .map(({ action, domain }) => ({ action, domain })),
    }
  }
  const others = { services: [], safeSearch: false, youtube: null } as const
  const ofClient = groupsOf('client_by_group', 'client_id')
  const sets = Map.groupBy(rowsOf(store, 'client'), (row) =>
    [...ofClient(Number(row['id']))].toSorted((a, b) => a - b).join(),
  )
  sets.delete(String(defaultGroup))
  const used = new Set<number>([defaultGroup])
  const names = new Map(rowsOf(store, 'group').map((row) => [Number(row['id']), String(row['name'])]))
  for (const [key, clients] of sets) {
    const groups = new Set(key === '' ? [] : key.split(',').map(Number))
    for (const group of groups) used.add(group)
    // With Default, too: clients of Default and Kids are others than those of Kids alone.
    const named = [...groups].map((group) => names.get(group) ?? String(group))
    const name = named.length === 0 ? 'No group' : named.join(' and ')
    const addresses = clients.map((row) => String(row['ip']))
    const peerNames = addresses.filter((address) => isIP(address.split('/')[0] ?? '') === 0)
    finds.clients.push({ name, addresses, peerNames, ...held(groups), ...others })
    if (!groups.has(defaultGroup) && finds.rules.length > 0)
      finds.omit(name, 'is without the rules of the group Default; here rules for everyone hold for it')
  }
  const forAll = held(new Set([defaultGroup])).lists
  if (forAll !== null)
    finds.clients.push({ name: 'Pi-hole', addresses: null, peerNames: [], lists: forAll, rules: [], ...others })
  for (const rule of rules)
    if (ofRule(rule.id).isDisjointFrom(used)) finds.omit(rule.domain, 'is a rule of groups that no client is in')
}

const ruleOf = ({ action, domain, enabled }: GroupedRule): FoundRule => ({ action, domain, enabled })

const rowsOf = (store: ForeignStore, table: string) => (store.tables.has(table) ? store.rows(table) : [])
