import { Button, NativeSelect } from '@mantine/core'
import {
  answer,
  type Column,
  DataTable,
  EmptyState,
  formatTime,
  Section,
  tableAnswer,
  withMilliseconds,
} from '@hearth/ui'
import { IconArrowDownLeft, IconArrowUpRight, IconDownload, IconRefresh, IconWaveSine } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type RecordedFrame } from '../api.ts'
import { IconButton } from '../page-elements.tsx'

interface Row extends RecordedFrame {
  /** Position in the recording, which identifies the frame. */
  place: number
}

/** The last frames of a connection, newest first, and the whole recording as a file. */
export function FrameTable({ endpoints }: { endpoints: readonly string[] }) {
  const [chosen, setChosen] = useState(endpoints[0] ?? '')
  const path = { endpoint_id: chosen }
  const frames = useQuery({
    queryKey: [...keys.frames, chosen],
    staleTime: 0,
    queryFn: async () => {
      const query = { limit: 40 }
      const list = await answer(api.GET('/admin/api/diagnostics/{endpoint_id}/frames', { params: { path, query } }))
      return list.frames.map((frame, place) => Object.assign(frame, { place })).toReversed()
    },
  })
  return (
    <Section
      title="Last frames"
      actions={
        <span className="frame-actions">
          {endpoints.length > 1 && (
            <NativeSelect
              aria-label="Connection"
              data={[...endpoints]}
              value={chosen}
              onChange={(event) => setChosen(event.currentTarget.value)}
            />
          )}
          <IconButton icon={IconRefresh} loading={frames.isFetching} onClick={() => void frames.refetch()}>
            Refresh
          </IconButton>
          <Button
            component="a"
            variant="default"
            href={`/admin/api/diagnostics/${encodeURIComponent(chosen)}/capture`}
            download
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            Download recording
          </Button>
        </span>
      }
    >
      <p className="hearth-dimmed section-lead">
        The simulator can replay the recording, to analyse a fault elsewhere. Secrets are left out.
      </p>
      <DataTable<Row>
        label="Last frames"
        columns={columns}
        rowKey={({ place }) => String(place)}
        answer={tableAnswer(frames, frames.data)}
        empty={
          <EmptyState icon={IconWaveSine} title="No frames yet">
            Frames appear once the inverter is connected.
          </EmptyState>
        }
      />
    </Section>
  )
}

const columns: Column<Row>[] = [
  {
    key: 'name',
    header: 'Object',
    role: 'title',
    render: ({ name, object_id: id }) => (
      <span className="frame-object">
        <b>{name ?? 'unknown'}</b> <small className="hearth-mono hearth-dimmed">{id}</small>
      </span>
    ),
  },
  {
    key: 'direction',
    header: 'Direction',
    render({ direction }) {
      const Icon = direction === 'sent' ? IconArrowUpRight : IconArrowDownLeft
      return (
        <span className="frame-direction">
          <Icon size={16} aria-hidden />
          {direction === 'sent' ? 'Sent' : 'Received'}
        </span>
      )
    },
  },
  { key: 'command', header: 'Command', role: 'wide', render: ({ command }) => command.replaceAll('_', ' ') },
  { key: 'at', header: 'Time', numeric: true, render: ({ at }) => formatTime(new Date(at), withMilliseconds) },
  { key: 'value', header: 'Value', render: ({ value }) => <span className="frame-value">{value ?? '–'}</span> },
  {
    key: 'payload',
    header: 'Bytes',
    role: 'wide',
    render: ({ payload }) => <span className="hearth-mono frame-value">{payload === '' ? '–' : payload}</span>,
  },
]
