import { Group, Switch } from '@mantine/core'
import { answer, type Column, RelativeTime, useAction } from '@hearth/ui'
import { IconHelpCircle, IconPencil, IconTrash } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api, type DnsRule } from '../../api.ts'
import { RowMenu } from '../../sections/row-menu.tsx'
import { ActionBadge } from '../action-badge.tsx'
import { useQuestion } from '../explain/use-question.ts'
import { ruleRenewals } from './use-rule-actions.ts'

/** Actions on a rule besides its switch. */
export type RuleDialog = { kind: 'edit' | 'delete'; rule: DnsRule }

/** The columns of the rule table; without `onOpen` there is nothing to do with a row. */
export function ruleColumns(onOpen: ((dialog: RuleDialog) => void) | undefined): Column<DnsRule>[] {
  const actions: Column<DnsRule> = {
    key: 'row-actions',
    header: 'Actions',
    role: 'actions',
    render: (rule) => onOpen !== undefined && <RuleActions rule={rule} onOpen={onOpen} />,
  }
  return onOpen === undefined ? columns : [...columns, actions]
}

const columns: Column<DnsRule>[] = [
  {
    key: 'domain',
    header: 'Domain',
    role: 'title',
    render: (rule) => <span className="hearth-name">{rule.domain}</span>,
  },
  {
    key: 'action',
    header: 'Does',
    render: ({ action }) => <ActionBadge action={action}>{action === 'block' ? 'Block' : 'Allow'}</ActionBadge>,
  },
  {
    key: 'client',
    header: 'For',
    render: (rule) =>
      rule.client === null || rule.client_id === null ? (
        <span className="hearth-dimmed">everyone</span>
      ) : (
        <Link href={`/peers/${rule.client_id}`} className="hearth-link wrap-anywhere">
          {rule.client}
        </Link>
      ),
  },
  { key: 'hits', header: 'Decided', numeric: true, render: (rule) => rule.hits.toLocaleString('en') },
  { key: 'last_hit', header: 'Last', render: (rule) => <RelativeTime value={rule.last_hit_at} /> },
  {
    key: 'created',
    header: 'Added',
    render: (rule) => (
      <>
        <RelativeTime value={rule.created_at} />
        {rule.created_by !== null && <span className="hearth-dimmed"> by {rule.created_by}</span>}
      </>
    ),
  },
]

function RuleActions({ rule, onOpen }: { rule: DnsRule; onOpen: (dialog: RuleDialog) => void }) {
  const turn = useAction<boolean, { message: string }>({
    run: (enabled) => answer(api.PUT('/api/dns/rules/{id}', { params: { path: { id: rule.id } }, body: { enabled } })),
    renew: ruleRenewals,
  })
  const { explain } = useQuestion()
  return (
    <Group gap="sm" wrap="nowrap" justify="flex-end">
      <Switch
        aria-label={`The rule for ${rule.domain} holds`}
        checked={turn.isPending ? turn.variables : rule.enabled}
        disabled={turn.isPending}
        onChange={(event) => turn.mutate(event.currentTarget.checked)}
      />
      <RowMenu
        label={`More for the rule for ${rule.domain}`}
        entries={[
          { label: 'Edit', icon: IconPencil, onClick: () => onOpen({ kind: 'edit', rule }) },
          {
            label: 'Explain this name',
            icon: IconHelpCircle,
            onClick: () => explain({ domain: rule.domain.replace(/^\*\./, ''), client: rule.client ?? '' }),
          },
          { label: 'Delete', icon: IconTrash, onClick: () => onOpen({ kind: 'delete', rule }), isDestructive: true },
        ]}
      />
    </Group>
  )
}
