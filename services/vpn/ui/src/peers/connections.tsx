import { Button, Group, Table, Text } from '@mantine/core'
import { answer, formatBytes, formatCount, formatDay, formatDuration, formatTime, QueryState, useNow } from '@hearth/ui'
import { IconDownload } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Peer, type PeerConnection } from '../api.ts'
import { type ConnectionDay, connectionDays } from './connection-days.ts'
import { ConnectionTimeline } from './connection-timeline.tsx'

const shownDays = 30
const rowsPerPage = 5
/** A connection that lasts gets longer. */
const refetchInterval = 60_000

/** When a peer was connected: a picture of the last days, and the connections of one of them or of all. */
export function Connections({ peer }: { peer: Peer }) {
  const [chosen, setChosen] = useState<number>()
  const [page, setPage] = useState(0)
  const now = useNow()
  const timeline = useQuery({
    queryKey: [...keys.connections, peer.id, 'timeline'],
    queryFn: async () => {
      // A day more: the first of them begins at midnight.
      const params = { path: { id: peer.id }, query: { days: shownDays + 1 } }
      return (await answer(api.GET('/api/peers/{id}/connections/timeline', { params }))).data
    },
    refetchInterval,
  })
  const days = connectionDays(timeline.data?.spans ?? [], now, shownDays)
  const choose = (day: number | undefined) => {
    setChosen(day)
    setPage(0)
  }
  return (
    <section className="hearth-stack" aria-label="Connections">
      <Group justify="space-between">
        <h3 className="drawer-heading">Connections</h3>
        <Button
          component="a"
          size="xs"
          variant="default"
          href={`/api/peers/${peer.id}/connections.csv`}
          download
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          CSV
        </Button>
      </Group>
      <QueryState query={timeline} lines={3} />
      {timeline.data !== undefined && <ConnectionTimeline days={days} chosen={chosen} choose={choose} />}
      <ConnectionTable
        id={peer.id}
        day={chosen === undefined ? undefined : days[chosen]}
        page={page}
        setPage={setPage}
        clearDay={() => choose(undefined)}
      />
    </section>
  )
}

interface ConnectionTableProps {
  id: string
  day: ConnectionDay | undefined
  page: number
  setPage: (page: number) => void
  clearDay: () => void
}

function ConnectionTable({ id, day, page, setPage, clearDay }: ConnectionTableProps) {
  const query = {
    limit: rowsPerPage,
    offset: page * rowsPerPage,
    ...(day !== undefined && { from: day.start.toISOString(), to: day.end.toISOString() }),
  }
  const connections = useQuery({
    queryKey: [...keys.connections, id, query],
    queryFn: () => answer(api.GET('/api/peers/{id}/connections', { params: { path: { id }, query } })),
    refetchInterval,
    placeholderData: keepPreviousData,
  })
  const rows = connections.data?.data ?? []
  const total = connections.data?.total ?? 0
  return (
    <>
      <QueryState query={connections} lines={3} />
      {connections.data !== undefined && rows.length === 0 && (
        <Text c="dimmed" size="sm">
          {day === undefined ? 'No connection yet.' : 'No connection on this day.'}
        </Text>
      )}
      {rows.length > 0 && (
        <Table className="connection-table" aria-label="Connections" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Began</Table.Th>
              <Table.Th>From</Table.Th>
              <Table.Th ta="end">Received, sent</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <ConnectionRow key={row.began_at} connection={row} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {formatCount(total, 'connection')}
          {day !== undefined && ` on ${formatDay(day.start)}`}
        </Text>
        <Group gap="xs">
          {day !== undefined && (
            <Button size="xs" variant="subtle" onClick={clearDay}>
              All days
            </Button>
          )}
          {page > 0 && (
            <Button size="xs" variant="default" onClick={() => setPage(page - 1)}>
              Newer
            </Button>
          )}
          {(page + 1) * rowsPerPage < total && (
            <Button size="xs" variant="default" onClick={() => setPage(page + 1)}>
              Older
            </Button>
          )}
        </Group>
      </Group>
    </>
  )
}

function ConnectionRow({ connection }: { connection: PeerConnection }) {
  const began = new Date(connection.began_at)
  const lasted = formatDuration(connection.duration_seconds)
  return (
    <Table.Tr>
      <Table.Td>
        <time dateTime={connection.began_at}>
          {formatDay(began)}, {formatTime(began)}
        </time>
        <Text size="sm" c="dimmed">
          {connection.ended_at === null ? `for ${lasted}, still connected` : `for ${lasted}`}
        </Text>
      </Table.Td>
      <Table.Td>
        {connection.addresses.toReversed().map(({ address, country }) => (
          <div key={address}>
            <span className="hearth-mono">{address ?? 'Other addresses'}</span>
            {country !== null && <Text size="sm">{country}</Text>}
          </div>
        ))}
        {connection.address_changes > 0 && (
          <Text size="sm" c="dimmed">
            {formatCount(connection.address_changes, 'change')} of address
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="end" className="connection-bytes">
        {formatBytes(connection.rx_bytes)}
        <br />
        {formatBytes(connection.tx_bytes)}
      </Table.Td>
    </Table.Tr>
  )
}
