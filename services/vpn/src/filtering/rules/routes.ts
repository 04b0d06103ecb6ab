import type { Route } from '@hearth/http'
import { route } from '../../access.ts'
import { done, messageEnvelope, page, pageEnvelope } from '../../envelope.ts'
import type { Publish } from '../../service-event.ts'
import { pendingNote } from '../in-force.ts'
import type { Rules } from './rules.ts'
import { DnsRule, DnsRuleCreate, DnsRuleDeleted, DnsRuleListQuery, DnsRuleParams, DnsRuleUpdate } from './schema.ts'

const shared = { tag: 'DNS', limit: 'counted' } as const
const member = { ...shared, path: '/api/dns/rules/{id}', params: DnsRuleParams } as const

/** The operator's own rules; every change holds for the next query, unless the resolver does not answer. */
export function ruleRoutes(rules: Rules, publish: Publish): Route[] {
  const changed = (id: string) => publish({ type: 'changed', collection: 'dns_rules', id })
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/dns/rules',
        summary: 'List rules',
        description: 'Newest first.',
        access: 'signed-in',
        query: DnsRuleListQuery,
        success: { status: 200, body: pageEnvelope(DnsRule) },
      },
      async ({ query }) => page(await rules.list(query), query),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/dns/rules',
        summary: 'Create a rule',
        description:
          'Blocks or allows a domain and everything below it, for one peer or for everyone. The opposite rule for the same domain and client is replaced.',
        access: 'admin',
        body: DnsRuleCreate,
        success: { status: 201, body: messageEnvelope(DnsRule) },
        errors: [409],
      },
      async ({ caller, body }) => {
        const { rule, replaced, inForce } = await rules.create(body, caller.username)
        changed(rule.id)
        const what = `${rule.action === 'block' ? 'Blocks' : 'Allows'} ${rule.domain}`
        const whom = rule.client === null ? '' : ` for ${rule.client}`
        return done(rule, `${what}${whom}${replaced ? '; the opposite rule is gone' : ''}${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...member,
        method: 'PUT',
        summary: 'Change a rule',
        access: 'admin',
        body: DnsRuleUpdate,
        success: { status: 200, body: messageEnvelope(DnsRule) },
        errors: [404, 409],
      },
      async ({ params, body }) => {
        const { rule, inForce } = await rules.update(params.id, body)
        changed(rule.id)
        return done(rule, `Rule for ${rule.domain} changed${pendingNote(inForce)}`)
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a rule',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(DnsRuleDeleted) },
        errors: [404],
      },
      async ({ params }) => {
        const { inForce, ...removed } = await rules.remove(params.id)
        changed(removed.id)
        return done(removed, `Rule for ${removed.domain} deleted${pendingNote(inForce)}`)
      },
    ),
  ]
}
