import { Button, Group } from '@mantine/core'
import { answer, type Column, DataTable, EmptyState, RelativeTime, Section, tableAnswer } from '@hearth/ui'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Schemas } from '../api.ts'
import { humanize } from '../values/quantity.ts'

/** The inverter's own event table; read on request, because the answer is long. */
export function InverterLog({ deviceId }: { deviceId: string }) {
  const [isLoaded, setLoaded] = useState(false)
  const log = useInfiniteQuery({
    queryKey: [...keys.health, deviceId, 'events'],
    enabled: isLoaded,
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answer(
        api.GET('/api/v1/devices/{device_id}/events', {
          params: {
            path: { device_id: deviceId },
            query: pageParam === undefined ? {} : { before: pageParam },
          },
        }),
      ),
    getNextPageParam: (page) => page.events.at(-1)?.at,
  })
  const rows = log.data?.pages.flatMap((page) => page.events)
  return (
    <Section
      title="Inverter log"
      actions={
        <Button
          variant="default"
          size="xs"
          loading={log.isFetching}
          onClick={() => (isLoaded ? void log.refetch() : setLoaded(true))}
        >
          {isLoaded ? 'Refresh' : 'Load log'}
        </Button>
      }
    >
      {isLoaded ? (
        <DataTable
          label="Inverter log"
          columns={columns}
          rowKey={keyOf}
          answer={tableAnswer(log, rows)}
          empty={<EmptyState icon={IconHistory} title="The log is empty" />}
        />
      ) : (
        <p className="hearth-dimmed section-lead">
          Grid and battery faults, updates and parameter changes, as recorded by the inverter.
        </p>
      )}
      {log.hasNextPage && rows !== undefined && rows.length > 0 && (
        <Group justify="center" mt="sm">
          <Button variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Show older
          </Button>
        </Group>
      )}
    </Section>
  )
}

const keyOf = ({ at, type, parameter, until }: Schemas['DeviceEvent']) =>
  [at, type, until, parameter?.name, parameter?.new_raw].join(' ')

const columns: Column<Schemas['DeviceEvent']>[] = [
  { key: 'label', header: 'Event', role: 'title', render: (row) => <b>{humanize(row.label)}</b> },
  { key: 'at', header: 'Time', render: (row) => <RelativeTime value={row.at} /> },
  { key: 'until', header: 'Until', render: (row) => <RelativeTime value={row.until} absent="–" /> },
  {
    key: 'parameter',
    header: 'Changed',
    render: ({ parameter }) =>
      parameter === null ? (
        '–'
      ) : (
        <span>
          <span className="hearth-mono">{parameter.name}</span>, raw {parameter.old_raw} to {parameter.new_raw}
        </span>
      ),
  },
]
