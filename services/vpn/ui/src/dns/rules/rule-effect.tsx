import { api } from '../../api.ts'
import { answer, describeError, formatCount } from '@hearth/ui'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { looksLikeDomain } from './rule-values.ts'
import type { RuleWish } from './use-rule-actions.ts'

/** Says before a rule is saved what it would have changed in the last 24 hours, and for whom. */
export function RuleEffect({ rule }: { rule: RuleWish }) {
  const [asked] = useDebouncedValue(rule, 700)
  const isWorthAsking = looksLikeDomain(asked.domain)
  const effect = useQuery({
    queryKey: ['rule-effect', asked],
    queryFn: async () => (await answer(api.POST('/api/dns/rules/preview', { body: asked }))).data,
    enabled: isWorthAsking,
    staleTime: 60_000,
    retry: false,
  })
  const isCurrent = sameRule(asked, rule)
  return (
    <output className="rule-effect" aria-live="polite" data-stale={!isCurrent || undefined}>
      {!isWorthAsking && <span className="hearth-dimmed">Type a domain to see what the rule would have changed.</span>}
      {isWorthAsking && effect.isPending && <span className="hearth-dimmed">Checking the last 24 hours…</span>}
      {isWorthAsking && effect.error !== null && <span className="hearth-dimmed">{describeError(effect.error)}</span>}
      {isWorthAsking && effect.data !== undefined && <Effect action={asked.action} of={effect.data} />}
    </output>
  )
}

interface Effect {
  changed: number
  matching: number
  clients: { client: string | null; changed: number }[]
}

const shown = 5

function Effect({ action, of }: { action: RuleWish['action']; of: Effect }) {
  const queries = formatCount(of.changed, 'query', 'queries')
  const done = action === 'block' ? 'blocked' : 'let through'
  if (of.changed === 0)
    return (
      <span>
        It would have changed nothing in the last 24 hours
        {of.matching > 0 && `: ${formatCount(of.matching, 'query', 'queries')} matched and ended that way already`}.
      </span>
    )
  return (
    <>
      <span>
        In the last 24 hours it would have {done} <b>{queries}</b>:
      </span>
      <ul>
        {of.clients.slice(0, shown).map(({ client, changed }) => (
          <li key={client ?? ''}>
            <span className="hearth-name">{client ?? 'No peer'}</span> {changed.toLocaleString('en')}
          </li>
        ))}
        {of.clients.length > shown && <li>and {formatCount(of.clients.length - shown, 'other peer')}</li>}
      </ul>
    </>
  )
}

const sameRule = (one: RuleWish, other: RuleWish) =>
  one.action === other.action && one.domain === other.domain && one.client === other.client
