import { z } from 'zod'
import { portsText } from '../../access-rules/policy/decide.ts'
import { portsOf } from '../../access-rules/read-policy.ts'
import { AccessGroupCreate, AccessRuleCreate, type AccessTargetInput } from '../../access-rules/schema.ts'
import { allAccessRuleRows, allGroupRows } from '../../access-rules/store.ts'
import type { AccessRuleRow } from '../../access-rules/tables.ts'
import { nameKey } from '../../envelope.ts'
import { PeerName } from '../../peers/schema.ts'
import { invalidField } from '../../problems.ts'
import { faultsOfMany, prepared } from '../faults.ts'
import { type Ids, idsOf, type Names, namesOf, peerIds } from '../names.ts'
import type { Fault, Reference, Section, SectionContext, Work } from '../section.ts'
import { peerNameRows } from '../store.ts'

const { action, enabled, note, ports, protocol } = AccessRuleCreate.shape

const group = z.strictObject({ group: AccessGroupCreate.shape.name })
const peer = z.strictObject({ peer: PeerName })
const network = z.strictObject({ network: z.string().max(64) })
const From = z.union([z.literal('everybody'), group, peer], {
  error: 'must be everybody, or have a group or a peer',
})
const To = z.union([z.enum(['everybody', 'internet', 'gateway']), group, peer, network], {
  error: 'must be everybody, internet or gateway, or have a group, a peer or a network',
})
type End = z.infer<typeof To>

const RuleEntry = z.strictObject({ from: From, to: To, action, protocol, ports, enabled, note })
type RuleEntry = z.infer<typeof RuleEntry>

/** The access rules in their order. A rule with the same ends, protocol and ports is the same rule. */
export const accessRulesSection: Section<RuleEntry> = {
  name: 'access_rules',
  noun: 'access rule',
  form: 'list',
  schema: RuleEntry,
  defaults: { protocol: 'any', ports: [], enabled: true, note: '' },
  needs: ['peers', 'access_groups'],
  isOrdered: true,
  prunes: 'first',
  identify,
  references: ({ from, to }) => [...referencesOf('from', from), ...referencesOf('to', to)],
  async read({ parts: { db } }) {
    const groups = namesOf(await allGroupRows(db))
    const peers = namesOf(await peerNameRows(db))
    return (await allAccessRuleRows(db)).map((row) => {
      const value = entryOf(row, { groups, peers })
      const { key, name } = identify(value)
      return { id: row.id, key, name, value }
    })
  },
  apply: arrange,
  /** The rules that stay are arranged at once with those of the file, see `arrange`. */
}

function identify({ from, to, protocol: over, ports: numbers }: RuleEntry): { key: string; name: string } {
  const name = `${endText(from)} → ${endText(to)}${over === 'any' ? '' : ` ${over}`}${numbers.length === 0 ? '' : ` ${numbers.join(', ')}`}`
  return { key: nameKey(name), name }
}

function endText(end: End): string {
  if (typeof end === 'string') return end
  const [[kind, name] = ['', '']] = Object.entries(end)
  return `${kind} ${name}`
}

interface Both<T> {
  readonly groups: T
  readonly peers: T
}

function entryOf(row: AccessRuleRow, names: Both<Names>): RuleEntry {
  return {
    from: endOf(
      row.from_kind,
      { group: row.from_group, peer: row.from_peer, network: null },
      names,
    ) as RuleEntry['from'],
    to: endOf(row.to_kind, { group: row.to_group, peer: row.to_peer, network: row.to_network }, names),
    action: row.action,
    protocol: row.protocol,
    ports: portsOf(row).map((range) => portsText([range])),
    enabled: row.enabled === 1,
    note: row.note,
  }
}

function endOf(
  kind: AccessRuleRow['to_kind'],
  held: Record<'group' | 'peer' | 'network', string | null>,
  { groups, peers }: Both<Names>,
): End {
  if (kind === 'group') return { group: groups.get(held.group ?? '') ?? '' }
  if (kind === 'peer') return { peer: peers.get(held.peer ?? '') ?? '' }
  if (kind === 'network') return { network: held.network ?? '' }
  return kind
}

function referencesOf(member: string, end: End): Reference[] {
  if (typeof end === 'string') return []
  if ('group' in end)
    return [{ section: 'access_groups', key: nameKey(end.group), path: [member], message: 'is no group' }]
  if ('peer' in end) return [{ section: 'peers', key: nameKey(end.peer), path: [member], message: 'is no peer' }]
  return []
}

/** Rules of the file in its order, then those that stay; in one change, so that no packet meets half of them. */
async function arrange(
  context: SectionContext,
  { all, stay, replaced, create, change }: Work<RuleEntry>,
): Promise<Fault[]> {
  const { accessRules, db } = context.parts
  const present = (await allAccessRuleRows(db)).map(({ id }) => id)
  const order = [...all.map(({ held }) => held?.id ?? ''), ...stay.map(({ id }) => id)]
  if (create.length === 0 && change.length === 0 && replaced.length === 0 && order.join() === present.join()) return []
  const ids = {
    groups: idsOf(await allGroupRows(db)),
    peers: await peerIds(context),
  }
  const { faults, items } = prepared(
    all,
    ({ wanted }) => wanted.path,
    ({ wanted: { value, path }, held }) => {
      const { from, to, ...rule } = value
      const ends = { from: targetOf('from', from, ids), to: targetOf('to', to, ids) }
      return { id: held?.id, rule: { ...rule, ...ends } as Omit<AccessRuleCreate, 'position'>, path }
    },
  )
  if (faults.length > 0) return faults
  const rest = stay.map(({ id }) => ({ id, path: [] }))
  const rules = [...items.map(({ made }) => made), ...rest]
  return faultsOfMany(rules, ({ path }) => path, await accessRules.arrange(rules, context.by))
}

function targetOf(member: string, end: End, ids: Both<Ids>): AccessTargetInput {
  if (typeof end === 'string') return { kind: end }
  if ('network' in end) return { kind: 'network', network: end.network }
  const kind = 'group' in end ? 'group' : 'peer'
  const id = 'group' in end ? ids.groups.get(nameKey(end.group)) : ids.peers.get(nameKey(end.peer))
  if (id === undefined) throw invalidField(member, `is no ${kind}`)
  return { kind, id }
}
