import { answer, useAction } from '@hearth/ui'
import { api, type DnsRule, keys } from '../../api.ts'

/** Queries to read again after a rule changed. */
export const ruleRenewals = [keys.dnsRules, keys.explanation, keys.dnsStatus]

/** One rule, as it is asked for. */
export interface RuleRequest {
  action: DnsRule['action']
  domain: string
  /** A peer's name; null for everyone. */
  client: string | null
}

/** Makes a rule with one click; the service answers with a sentence about what it does. */
export function useMakeRule(onDone?: () => void) {
  return useAction<RuleRequest, { message: string }>({
    run: (body) => answer(api.POST('/api/dns/rules', { body })),
    renew: ruleRenewals,
    ...(onDone === undefined ? {} : { onDone }),
  })
}

/** Switches a rule on or off. */
export function useSwitchRule() {
  return useAction<{ rule: DnsRule; enabled: boolean }, { message: string }>({
    run: ({ rule, enabled }) =>
      answer(api.PUT('/api/dns/rules/{id}', { params: { path: { id: rule.id } }, body: { enabled } })),
    renew: ruleRenewals,
  })
}
