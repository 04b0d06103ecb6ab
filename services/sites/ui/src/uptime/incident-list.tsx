import { DataTable, EmptyState, formatDuration, formatTimestamp, Section, type Column } from '@hearth/ui'
import { IconCircleCheck } from '@tabler/icons-react'
import type { Incident } from './read-uptime.ts'

/** The times in which a site or its upstreams were down, with their reasons. */
export function IncidentList({ incidents }: { incidents: readonly Incident[] }) {
  return (
    <Section title="Incidents">
      <DataTable
        label="Incidents"
        columns={columns}
        rowKey={({ id }) => id}
        answer={{ rows: incidents, total: incidents.length, error: null, retry: () => undefined }}
        empty={
          <EmptyState icon={IconCircleCheck} title="No incidents">
            Nothing was down in the last 90 days, as far as it was observed.
          </EmptyState>
        }
      />
    </Section>
  )
}

const columns: Column<Incident>[] = [
  {
    key: 'began',
    header: 'Began',
    role: 'title',
    render: ({ began_at: began }) => formatTimestamp(new Date(began)),
  },
  {
    key: 'ended',
    header: 'Ended',
    render: ({ ended_at: ended }) => (ended === null ? 'goes on' : formatTimestamp(new Date(ended))),
  },
  { key: 'lasted', header: 'Observed', render: ({ lasted_seconds: lasted }) => formatDuration(lasted) },
  { key: 'what', header: 'What', render: ({ subject }) => (subject === 'site' ? 'Site' : `Upstream ${subject}`) },
  {
    key: 'reason',
    header: 'Reason',
    render: ({ failure }) => (
      <span className="uptime-reason">
        {failure.came_back} <small>{failure.advice}</small>
      </span>
    ),
  },
]
