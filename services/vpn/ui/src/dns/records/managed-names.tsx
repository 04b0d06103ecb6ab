import { answer, type Column, DataTable, formatCount, Section, StatusBadge, tableAnswer } from '@hearth/ui'
import { Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, keys } from '../../api.ts'
import type { components } from '../../api.gen.ts'

type Entry = components['schemas']['ManagedRecordEntry']

/** Names that are shown at once. */
const shown = 25

const columns: Column<Entry>[] = [
  { key: 'name', header: 'Name', role: 'title', render: ({ name }) => <b>{name}</b> },
  { key: 'value', header: 'Address', render: ({ value }) => <span className="hearth-mono">{value}</span> },
  { key: 'manager', header: 'Kept by', render: ({ manager }) => manager },
  {
    key: 'state',
    header: 'State',
    render: ({ overridden }) =>
      overridden ? <StatusBadge tone="warn">A local name stands before it</StatusBadge> : 'Answered',
  },
]

/** Names that other services keep, such as those of the sites of a Hearth Sites; nothing while there are none. */
export function ManagedNames({ search }: { search: string }) {
  const query = { limit: shown, ...(search === '' ? {} : { search }) }
  const records = useQuery({
    queryKey: [...keys.dnsRecords, 'managed', query],
    queryFn: () => answer(api.GET('/api/dns/managed-records', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  const total = records.data?.total ?? 0
  if (total === 0) return null
  return (
    <Section title="Kept by other services">
      <DataTable
        label="Names kept by other services"
        columns={columns}
        rowKey={({ name, type, value }) => `${name} ${type} ${value}`}
        answer={tableAnswer(records, records.data?.data)}
        empty={null}
      />
      {total > shown && (
        <Text c="dimmed" size="sm" mt="sm">
          The first {shown} of {formatCount(total, 'name')}. The search finds the others.
        </Text>
      )}
    </Section>
  )
}
