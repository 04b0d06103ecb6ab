import { type Column, DataTable, EmptyState, RelativeTime, Section, StatusBadge } from '@hearth/ui'
import { IconHeartbeat, IconServer2 } from '@tabler/icons-react'
import type { Schemas } from '../api.ts'
import { UptimeBadge } from './uptime-state.tsx'
import { percentText } from './uptime-words.ts'

type RecentCheck = Schemas['RecentCheck']
type UpstreamUptime = Schemas['UpstreamUptime']

/** What the last checks said. */
export function RecentChecks({ checks }: { checks: readonly RecentCheck[] }) {
  return (
    <Section title="Last checks">
      <DataTable
        label="Last checks"
        columns={checkColumns}
        rowKey={({ at }) => at}
        answer={{ rows: checks.slice(0, 10), total: checks.length, error: null, retry: () => undefined }}
        empty={
          <EmptyState icon={IconHeartbeat} title="No checks yet">
            The first one comes within the interval of the site. They are counted from the start of the service.
          </EmptyState>
        }
      />
    </Section>
  )
}

const checkColumns: Column<RecentCheck>[] = [
  { key: 'at', header: 'When', role: 'title', render: ({ at }) => <RelativeTime value={at} /> },
  {
    key: 'result',
    header: 'Result',
    render: ({ is_good: isGood }) => (
      <StatusBadge tone={isGood ? 'good' : 'bad'}>{isGood ? 'Good' : 'Failed'}</StatusBadge>
    ),
  },
  { key: 'words', header: 'Came back', render: ({ came_back: words }) => words },
]

/** The upstreams of a site, checked directly by an empty connection. */
export function UpstreamList({ upstreams }: { upstreams: readonly UpstreamUptime[] }) {
  return (
    <Section title="Upstreams">
      <DataTable
        label="Upstreams"
        columns={upstreamColumns}
        rowKey={({ address }) => address}
        answer={{ rows: upstreams, total: upstreams.length, error: null, retry: () => undefined }}
        empty={
          <EmptyState icon={IconServer2} title="No upstreams">
            The site has none, or they were not checked yet.
          </EmptyState>
        }
      />
    </Section>
  )
}

const upstreamColumns: Column<UpstreamUptime>[] = [
  {
    key: 'address',
    header: 'Address',
    role: 'title',
    render: ({ address }) => <span className="hearth-mono">{address}</span>,
  },
  { key: 'state', header: 'State', render: ({ state }) => <UptimeBadge state={state} /> },
  { key: 'reason', header: 'Last connection', render: upstreamWords },
  { key: 'share', header: '30 days', numeric: true, render: ({ uptime }) => percentText(uptime.days_30) },
]

function upstreamWords({ failure, latency_ms: latency }: UpstreamUptime): string {
  if (failure !== null) return failure.came_back
  return latency === null ? '' : `accepted in ${latency} ms`
}
