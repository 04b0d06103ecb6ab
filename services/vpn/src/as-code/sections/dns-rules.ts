import { z } from 'zod'
import { nameKey } from '../../envelope.ts'
import { shownDomain } from '../../filtering/rules/rules.ts'
import { DnsRuleCreate } from '../../filtering/rules/schema.ts'
import { parseRuleDomain } from '../../lists/domain-name.ts'
import { PeerName } from '../../peers/schema.ts'
import { invalidField, type Problem } from '../../problems.ts'
import { faultsAt, faultsOfMany } from '../faults.ts'
import { peerIds } from '../names.ts'
import type { Section } from '../section.ts'
import { dnsRuleRows } from '../store.ts'

const { action, domain } = DnsRuleCreate.shape

const DnsRuleEntry = z.strictObject({
  domain: domain.transform(canonicalDomain),
  action,
  client: PeerName.nullable().default(null),
  enabled: z.boolean().default(true),
})
type DnsRuleEntry = z.infer<typeof DnsRuleEntry>

/** Rules about names; one for the same names and the same peer is the same rule. */
export const dnsRulesSection: Section<DnsRuleEntry> = {
  name: 'dns_rules',
  noun: 'DNS rule',
  form: 'list',
  schema: DnsRuleEntry,
  defaults: { client: null, enabled: true },
  needs: ['peers'],
  prunes: 'last',
  identify,
  references: ({ client }) =>
    client === null ? [] : [{ section: 'peers', key: nameKey(client), path: ['client'], message: 'is no peer' }],
  async read({ parts }) {
    const rows = await dnsRuleRows(parts.db)
    return rows.map((row) => {
      const value = {
        domain: shownDomain(row),
        action: row.action,
        client: row.peer_name,
        enabled: row.enabled === 1,
      }
      const { key, name } = identify(value)
      return { id: row.id, key, name, value }
    })
  },
  async apply(context, { create, change }) {
    const wanted = [...create, ...change.map((each) => each.wanted)]
    if (wanted.length === 0) return []
    const ids = await peerIds(context)
    const unknown: (Problem | undefined)[] = wanted.map(({ value: { client } }) =>
      client === null || ids.has(nameKey(client)) ? undefined : invalidField('client', 'is no peer'),
    )
    if (unknown.some((problem) => problem !== undefined)) return faultsOfMany(wanted, ({ path }) => path, unknown)
    const put = wanted.map(({ value }) => ({
      ...value,
      client: value.client === null ? null : (ids.get(nameKey(value.client)) ?? ''),
    }))
    const problems = await context.parts.dns.rules.changeMany({ remove: [], put }, context.by)
    return wanted.flatMap(({ path }, index) => {
      const problem = problems[index]
      return problem === undefined ? [] : faultsAt(path, problem)
    })
  },
  async remove({ parts, by }, extra) {
    if (extra.length > 0) await parts.dns.rules.changeMany({ remove: extra.map(({ id }) => id), put: [] }, by)
  },
}

/** The domain in the form in which it is stored; as it is when it cannot be one. */
export function canonicalDomain(text: string): string {
  const parsed = parseRuleDomain(text)
  return parsed === undefined ? text : `${parsed.belowOnly ? '*.' : ''}${parsed.domain}`
}

function identify({ domain: shown, client }: DnsRuleEntry): { key: string; name: string } {
  return {
    key: JSON.stringify([shown, client === null ? null : nameKey(client)]),
    name: client === null ? shown : `${shown} for ${client}`,
  }
}
