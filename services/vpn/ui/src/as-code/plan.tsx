import { Stack, Text } from '@mantine/core'
import { type Column, DataTable, formatCount, StatusBadge } from '@hearth/ui'
import type { components } from '../api.gen.ts'

type Report = components['schemas']['ApplyReport']
type Change = components['schemas']['PlannedChange']

/** Changes and strangers that are shown. */
const shown = 200
const strangersShown = 10

const actions = {
  create: { tone: 'good', text: 'New' },
  change: { tone: 'warn', text: 'Changes' },
  delete: { tone: 'bad', text: 'Is deleted' },
} as const

/** What a file would change. */
export function Plan({ report }: { report: Report }) {
  const { changes, created, changed, deleted, not_in_file: strangers } = report
  const count = created + changed + deleted
  return (
    <Stack gap="xs">
      <output>
        {count === 0
          ? 'There is nothing to do: everything is as the file says.'
          : `${created} new, ${changed} changed, ${deleted} deleted.`}
      </output>
      <ChangeList label="Changes" changes={changes} count={count} />
      {strangers.length > 0 && (
        <Text size="sm" c="dimmed" className="wrap-anywhere">
          Not in the file, and stays:{' '}
          {strangers
            .slice(0, strangersShown)
            .map(({ noun, name }) => `${noun} ${name}`)
            .join(', ')}
          {strangers.length > strangersShown && ` and ${strangers.length - strangersShown} more`}.
        </Text>
      )}
    </Stack>
  )
}

/** Changes as a table; nothing for none. */
export function ChangeList({ label, changes, count }: { label: string; changes: readonly Change[]; count: number }) {
  if (changes.length === 0) return null
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        rowKey={({ section, action, name }) => `${section} ${action} ${name}`}
        answer={{ rows: changes.slice(0, shown), total: count, error: null, retry: () => undefined }}
        empty={<Text size="sm">No changes</Text>}
      />
      {count > shown && (
        <Text c="dimmed" size="sm">
          And {formatCount(count - shown, 'more change')}.
        </Text>
      )}
    </>
  )
}

const columns: Column<Change>[] = [
  {
    key: 'name',
    header: 'What',
    role: 'title',
    render: ({ noun, name, renamed_from: before }) => (
      <span className="wrap-anywhere">
        {noun} <b>{name}</b>
        {before !== null && ` (was ${before})`}
      </span>
    ),
  },
  {
    key: 'action',
    header: 'Becomes',
    render: ({ action }) => <StatusBadge tone={actions[action].tone}>{actions[action].text}</StatusBadge>,
  },
  {
    key: 'members',
    header: 'From and to',
    render: ({ members }) =>
      members.map(({ member, from, to }) => (
        <Text key={member} size="sm" className="wrap-anywhere">
          {member}
          {from === null && to === null ? ' changes' : `: ${from ?? 'none'} → ${to ?? 'none'}`}
        </Text>
      )),
  },
]
