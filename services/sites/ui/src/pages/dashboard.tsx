import { Text } from '@mantine/core'
import { formatCount, PageHeader, QueryState, Section, TopList, useSession } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../api.ts'
import { Counts } from '../dashboard/counts.tsx'
import { CertificateList, NodeList, RevisionList, SiteName, UpstreamList } from '../dashboard/dashboard-lists.tsx'
import { StateBanners } from '../drift/state-banners.tsx'
import { readTraffic, type TrafficOverview, trafficPace, type TrafficRange } from '../traffic/read-traffic.ts'
import { TrafficCharts, TrafficSection } from '../traffic/traffic-card.tsx'
import { VpnBanner } from '../vpn/vpn-banner.tsx'

/** Overview: traffic, and what needs attention. */
export function DashboardPage() {
  const { isAdmin } = useSession()
  const [range, setRange] = useState<TrafficRange>('24h')
  const traffic = useQuery({
    queryKey: [...keys.traffic, 'all', range],
    queryFn: () => readTraffic(range),
    placeholderData: keepPreviousData,
    refetchInterval: trafficPace,
  })
  return (
    <>
      <PageHeader title="Dashboard" />
      <StateBanners />
      <VpnBanner />
      <div className="hearth-stack">
        <Counts traffic={traffic.data} />
        <TrafficSection range={range} onRange={setRange}>
          <QueryState query={traffic} lines={5} />
          {traffic.data !== undefined && <TrafficCharts traffic={traffic.data} isSimple />}
        </TrafficSection>
        <div className="dashboard-columns">
          {traffic.data !== undefined && <Busiest traffic={traffic.data} />}
          <CertificateList />
          {isAdmin && <UpstreamList />}
          {isAdmin && <NodeList />}
          {isAdmin && <RevisionList />}
        </div>
      </div>
    </>
  )
}

const requestsOf = (count: number): string => formatCount(count, 'request')

function Busiest({ traffic }: { traffic: TrafficOverview }) {
  const rows = traffic.sites.slice(0, 5).map(({ site_id: id, totals }) => ({
    key: String(id),
    name: <SiteName id={id} />,
    count: totals.requests,
  }))
  const { requests: elsewhere } = traffic.elsewhere
  return (
    <Section title="Busiest sites">
      <TopList label="Busiest sites" entries={rows} empty="No requests in this time." format={requestsOf} />
      {elsewhere > 0 && (
        <Text c="dimmed" size="xs" mt="sm">
          {elsewhere.toLocaleString('en')} more for hosts that no site has.
        </Text>
      )}
    </Section>
  )
}
