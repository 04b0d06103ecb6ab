import type { DnsRule } from '../../api.ts'
import type { RuleRequest } from './use-rule-actions.ts'

/** Values of the rule form; an empty client is everyone. */
export interface RuleValues extends Record<string, unknown> {
  action: DnsRule['action']
  domain: string
  client: string
}

/** The form for a new rule, or for one that exists. */
export function ruleValues(rule: Partial<Pick<DnsRule, 'action' | 'domain' | 'client'>> = {}): RuleValues {
  return { action: rule.action ?? 'block', domain: rule.domain ?? '', client: rule.client ?? '' }
}

/** The rule as the API wants it. */
export function toRule(values: RuleValues): RuleRequest {
  const client = values.client.trim()
  return { action: values.action, domain: values.domain.trim(), client: client === '' ? null : client }
}

/** True when the text may be a domain, so that a preview of a rule for it makes sense. */
export function looksLikeDomain(text: string): boolean {
  return /^(?:\*\.)?(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]{2,}\.?$/u.test(text.trim())
}
