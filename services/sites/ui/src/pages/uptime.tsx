import { NativeSelect, Stack } from '@mantine/core'
import {
  type Column,
  DataTable,
  EmptyState,
  PageHeader,
  tableAnswer,
  TableSearch,
  Tile,
  useTableState,
} from '@hearth/ui'
import { IconHeartbeat, IconSearchOff } from '@tabler/icons-react'
import { Link } from 'wouter'
import { StateBanners } from '../drift/state-banners.tsx'
import { type SiteUptime, type UptimeState, useUptime } from '../uptime/read-uptime.ts'
import { StatusPageSection } from '../uptime/status-page-section.tsx'
import { UptimeBar } from '../uptime/uptime-bar.tsx'
import { Since, UptimeBadge } from '../uptime/uptime-state.tsx'
import { percentText, stateWords } from '../uptime/uptime-words.ts'
import { WindowSection } from '../uptime/window-section.tsx'

const perPage = 50
const states = Object.keys(stateWords) as UptimeState[]

/** Which sites are up: their states and days, planned maintenance, and status pages. */
export function UptimePage() {
  const state = useTableState(['state'])
  const chosen = states.find((one) => one === state.filters['state'])
  const uptime = useUptime({
    ...(chosen !== undefined && { state: chosen }),
    ...(state.search !== '' && { search: state.search }),
    limit: perPage,
    offset: (state.page - 1) * perPage,
  })
  const counts = uptime.data?.counts
  const isNarrowed = state.search !== '' || chosen !== undefined
  return (
    <>
      <PageHeader
        title="Uptime"
        description="Each site is requested through Caddy, as a visitor does, and each upstream directly."
      />
      <StateBanners />
      <Stack>
        {counts !== undefined && (
          <div className="uptime-tiles">
            {states.map((name) => (
              <Tile
                key={name}
                label={stateWords[name].text}
                value={String(counts[name] ?? 0)}
                tone={name === 'down' && (counts[name] ?? 0) > 0 ? 'bad' : undefined}
              />
            ))}
          </div>
        )}
        <search className="hearth-toolbar">
          <TableSearch state={state} label="Search sites" />
          <NativeSelect
            aria-label="State"
            value={chosen ?? ''}
            onChange={(event) => state.change({ filter: { state: event.currentTarget.value } })}
            data={[
              { value: '', label: 'Any state' },
              ...states.map((value) => ({ value, label: stateWords[value].text })),
            ]}
          />
        </search>
        <DataTable
          label="Uptime of the sites"
          columns={columns}
          state={state}
          pageSize={perPage}
          rowKey={({ site_id: id }) => String(id)}
          dimmed={(site) => site.state === 'off'}
          answer={tableAnswer(uptime, uptime.data?.sites, uptime.data?.total ?? 0)}
          empty={isNarrowed ? <NothingFound /> : <NoSites />}
        />
        <WindowSection />
        <StatusPageSection />
      </Stack>
    </>
  )
}

const NothingFound = () => (
  <EmptyState icon={IconSearchOff} title="No site matches">
    Search looks at names.
  </EmptyState>
)

const NoSites = () => (
  <EmptyState icon={IconHeartbeat} title="No sites yet">
    Every site that Caddy serves is checked each minute, unless its settings say otherwise.
  </EmptyState>
)

const columns: Column<SiteUptime>[] = [
  {
    key: 'name',
    header: 'Site',
    role: 'title',
    render: ({ site_id: id, site_name: name }) => (
      <Link href={`/sites/${id}?tab=uptime`} className="hearth-name">
        {name}
      </Link>
    ),
  },
  {
    key: 'state',
    header: 'State',
    render: ({ state, since, failure }) => (
      <span className="uptime-when">
        <UptimeBadge state={state} />
        <small>
          <Since value={since} />
        </small>
        {state === 'down' && failure !== null && <small className="uptime-reason">{failure.came_back}</small>}
      </span>
    ),
  },
  {
    key: 'bar',
    header: '30 days',
    render: ({ bar, site_name: name }) => (
      <UptimeBar label={`Uptime of ${name}, 30 days`} days={bar.map((share) => ({ share }))} />
    ),
  },
  { key: 'days30', header: 'Uptime', numeric: true, render: ({ uptime }) => percentText(uptime.days_30) },
  {
    key: 'latency',
    header: 'Answer',
    numeric: true,
    render: ({ latency_ms: latency }) => (latency === null ? '–' : `${latency} ms`),
  },
]
