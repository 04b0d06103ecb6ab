import { ActionIcon, Group, Menu, Switch } from '@mantine/core'
import { type Column, RelativeTime, StatusBadge } from '@hearth/ui'
import { IconBan, IconCheck, IconDots, IconHelpCircle, IconPencil, IconTrash } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { DnsRule } from '../../api.ts'
import { useQuestion } from '../explain/use-question.ts'
import { useSwitchRule } from './use-rule-actions.ts'

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

/** Badge that says whether something is blocked or allowed. */
export function ActionBadge({ action }: { action: DnsRule['action'] }) {
  return action === 'block' ? (
    <StatusBadge tone="bad" icon={IconBan}>
      Block
    </StatusBadge>
  ) : (
    <StatusBadge tone="good" icon={IconCheck}>
      Allow
    </StatusBadge>
  )
}

const columns: Column<DnsRule>[] = [
  {
    key: 'domain',
    header: 'Domain',
    role: 'title',
    render: (rule) => <span className="hearth-name">{rule.domain}</span>,
  },
  { key: 'action', header: 'Does', render: (rule) => <ActionBadge action={rule.action} /> },
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
  const turn = useSwitchRule()
  const { ask } = useQuestion()
  return (
    <Group gap="sm" wrap="nowrap" justify="flex-end">
      <Switch
        aria-label={`The rule for ${rule.domain} holds`}
        checked={turn.isPending ? turn.variables.enabled : rule.enabled}
        disabled={turn.isPending}
        onChange={(event) => turn.mutate({ rule, enabled: event.currentTarget.checked })}
      />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={`More for the rule for ${rule.domain}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onOpen({ kind: 'edit', rule })}>
            Edit
          </Menu.Item>
          <Menu.Item
            leftSection={<IconHelpCircle size={16} aria-hidden />}
            onClick={() => ask({ domain: rule.domain.replace(/^\*\./, ''), client: rule.client ?? '' })}
          >
            Explain this name
          </Menu.Item>
          <Menu.Item
            c="var(--hearth-bad)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => onOpen({ kind: 'delete', rule })}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
