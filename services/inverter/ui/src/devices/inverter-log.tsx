import { Button, Group } from '@mantine/core'
import { answer, type Column, DataTable, EmptyState, RelativeTime, Section, tableAnswer } from '@hearth/ui'
import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { components } from '../api.gen.ts'
import { api, keys } from '../api.ts'
import { plainWord } from '../dashboard/battery-towers.ts'

type DeviceEvent = components['schemas']['DeviceEvent']

/** What the inverter wrote into its own event table; read when somebody asks, because it is a long answer. */
export function InverterLog({ deviceId }: { deviceId: string }) {
  const [isAsked, setAsked] = useState(false)
  const log = useInfiniteQuery({
    queryKey: [...keys.health, deviceId, 'events'],
    enabled: isAsked,
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
      title="Log of the inverter"
      actions={
        <Button
          variant="default"
          size="xs"
          loading={log.isFetching}
          onClick={() => (isAsked ? void log.refetch() : setAsked(true))}
        >
          {isAsked ? 'Read again' : 'Read the log'}
        </Button>
      }
    >
      {isAsked ? (
        <DataTable
          label="Log of the inverter"
          columns={columns}
          rowKey={keyOf}
          answer={tableAnswer(log, rows)}
          empty={<EmptyState icon={IconHistory} title="The log is empty" />}
        />
      ) : (
        <p className="hearth-dimmed section-lead">
          Faults of grid and battery, updates and changed parameters, as the inverter itself recorded them.
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

const keyOf = ({ at, type, parameter, until }: DeviceEvent) =>
  [at, type, until, parameter?.name, parameter?.new_raw].join(' ')

const columns: Column<DeviceEvent>[] = [
  { key: 'label', header: 'What', role: 'title', render: (row) => <b>{plainWord(row.label)}</b> },
  { key: 'at', header: 'When', render: (row) => <RelativeTime value={row.at} /> },
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
