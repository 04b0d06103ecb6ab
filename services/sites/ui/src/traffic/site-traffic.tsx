import { Text } from '@mantine/core'
import { formatCount, QueryState, RelativeTime, Section, TopList } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../api.ts'
import { LiveTail } from './live-tail.tsx'
import { readSiteTraffic, type SiteTraffic, trafficPace, type TrafficRange } from './read-traffic.ts'
import { TrafficCharts, TrafficSection } from './traffic-card.tsx'
import '../dashboard/dashboard.css'

/** The traffic of a site: over time, by path and client, and live. */
export function SiteTrafficView({ id }: { id: number }) {
  const [range, setRange] = useState<TrafficRange>('24h')
  const traffic = useQuery({
    queryKey: [...keys.traffic, 'site', id, range],
    queryFn: () => readSiteTraffic(id, range),
    placeholderData: keepPreviousData,
    refetchInterval: trafficPace,
  })
  return (
    <div className="hearth-stack">
      <TrafficSection range={range} onRange={setRange}>
        <QueryState query={traffic} lines={5} />
        {traffic.data !== undefined && <TrafficCharts traffic={traffic.data} />}
      </TrafficSection>
      {traffic.data !== undefined && <Tops traffic={traffic.data} />}
      <LiveTail siteId={id} />
    </div>
  )
}

function Tops({ traffic }: { traffic: SiteTraffic }) {
  const lists = [
    { title: 'Most requested paths', rows: traffic.top_paths },
    { title: 'Busiest clients', rows: traffic.top_clients },
  ]
  return (
    <div className="dashboard-columns">
      {lists.map(({ title, rows }) => (
        <Section key={title} title={title}>
          <TopList
            label={title}
            empty="Nothing yet."
            format={(count) => formatCount(count, 'request')}
            entries={rows.slice(0, 10).map(({ key, count }) => ({
              key,
              count,
              name: <span className="hearth-mono">{key}</span>,
            }))}
          />
          <Text c="dimmed" size="xs" mt="sm">
            Since <RelativeTime value={traffic.listed_since} />
          </Text>
        </Section>
      ))}
    </div>
  )
}
