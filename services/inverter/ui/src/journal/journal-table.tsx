import { Button, Group } from '@mantine/core'
import {
  answer,
  type Column,
  DataTable,
  EmptyState,
  RelativeTime,
  Section,
  StatusBadge,
  tableAnswer,
  type Tone,
} from '@hearth/ui'
import { IconFileDownload, IconNotebook } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, type JournalRecord, keys } from '../api.ts'
import { formatValue } from '../values/quantity.ts'

/** Every write to a device, newest first. */
export function JournalTable({ deviceId }: { deviceId: string }) {
  const path = { device_id: deviceId }
  const journal = useInfiniteQuery({
    queryKey: [...keys.journal, deviceId],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam }) =>
      answer(
        api.GET('/api/v1/devices/{device_id}/journal', {
          params: { path, query: { limit: 20, ...(pageParam === undefined ? {} : { before: pageParam }) } },
        }),
      ),
    getNextPageParam: (page) => page.next_before ?? undefined,
  })
  const rows = journal.data?.pages.flatMap((page) => page.entries)
  return (
    <Section
      title="Write journal"
      actions={
        <Button
          component="a"
          variant="default"
          size="xs"
          href={`/api/v1/devices/${encodeURIComponent(deviceId)}/journal.csv`}
          download
          leftSection={<IconFileDownload size={14} aria-hidden />}
        >
          Download CSV
        </Button>
      }
    >
      <DataTable
        label="Write journal"
        columns={columns}
        rowKey={({ id }) => String(id)}
        answer={tableAnswer(journal, rows)}
        empty={
          <EmptyState icon={IconNotebook} title="No writes yet">
            Every value sent to the inverter is recorded here with the value read back.
          </EmptyState>
        }
      />
      {journal.hasNextPage && (
        <Group justify="center" mt="sm">
          <Button variant="default" loading={journal.isFetchingNextPage} onClick={() => void journal.fetchNextPage()}>
            Show older
          </Button>
        </Group>
      )}
    </Section>
  )
}

const outcomes: Record<JournalRecord['outcome'], { tone: Tone; text: string }> = {
  confirmed: { tone: 'good', text: 'Confirmed' },
  unconfirmed: { tone: 'warn', text: 'Not confirmed' },
  failed: { tone: 'bad', text: 'Failed' },
}

const causes: Record<JournalRecord['cause'], string> = {
  api: 'API',
  admin: 'Web page',
  dispatch: 'Battery control',
  restore: 'Restore',
}

const columns: Column<JournalRecord>[] = [
  {
    key: 'metric',
    header: 'Metric',
    role: 'title',
    render: (row) => <span className="hearth-mono">{row.metric}</span>,
  },
  { key: 'at', header: 'Time', render: (row) => <RelativeTime value={row.at} /> },
  { key: 'old', header: 'Before', numeric: true, render: (row) => formatValue(row.old_value, null) },
  { key: 'new', header: 'Written', numeric: true, render: (row) => <b>{formatValue(row.new_value, null)}</b> },
  { key: 'readback', header: 'Read back', numeric: true, render: (row) => formatValue(row.readback_value, null) },
  {
    key: 'outcome',
    header: 'Outcome',
    render: (row) => <StatusBadge tone={outcomes[row.outcome].tone}>{outcomes[row.outcome].text}</StatusBadge>,
  },
  {
    key: 'cause',
    header: 'Source',
    render: (row) => (row.caller === null ? causes[row.cause] : `${causes[row.cause]}, ${row.caller}`),
  },
]
