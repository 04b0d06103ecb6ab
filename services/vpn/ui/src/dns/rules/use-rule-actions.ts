import { answer, useAction } from '@hearth/ui'
import { api, type DnsRule, keys } from '../../api.ts'

/** Queries to read again after a rule changed. */
export const ruleRenewals = [keys.dnsRules, keys.explanation, keys.dnsStatus]

/** A rule to create. */
export interface RuleRequest {
  action: DnsRule['action']
  domain: string
  /** A peer's name; null for everyone. */
  client: string | null
}

/** Makes a rule with one click; the service answers with a sentence about what it does. */
export function useMakeRule() {
  return useAction<RuleRequest, { message: string }>({
    run: (body) => answer(api.POST('/api/dns/rules', { body })),
    renew: ruleRenewals,
  })
}
