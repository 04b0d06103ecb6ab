import { answer, formatBytes, QueryState, Section, TopList } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { api, keys } from '../api.ts'
import { PeriodChoice, TrafficFrame, TrafficHistory } from '../traffic/traffic-history.tsx'
import { type Period, periodNamed, toTrafficQuery } from '../traffic/periods.ts'

/** Page with the traffic of all peers and the peers with the most traffic. */
export function TrafficPage() {
  const [params, setParams] = useSearchParams()
  const period = periodNamed(params.get('period'))
  const traffic = useQuery({
    queryKey: [...keys.traffic, 'all', period.name],
    queryFn: async () =>
      (await answer(api.GET('/api/metrics/traffic', { params: { query: toTrafficQuery(period, new Date()) } }))).data,
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
  return (
    <TrafficFrame description="Traffic through the tunnels, as seen from this server.">
      <div className="hearth-stack">
        <PeriodChoice value={period.name} onChange={(name) => setParams({ period: name }, { replace: true })} />
        <Section title="All peers">
          <TrafficHistory traffic={traffic} title="Traffic of all peers" />
        </Section>
        <TopPeers period={period} />
      </div>
    </TrafficFrame>
  )
}

function TopPeers({ period }: { period: Period }) {
  const top = useQuery({
    queryKey: [...keys.traffic, 'top', period.name],
    queryFn: async () => {
      const { start } = toTrafficQuery(period, new Date())
      return (await answer(api.GET('/api/metrics/traffic/top', { params: { query: { limit: 10, start } } }))).data.peers
    },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
  if (top.data === undefined) return <QueryState query={top} lines={4} />
  return (
    <Section title="Top peers">
      <TopList
        label="Top peers"
        empty="No peer had traffic in this time."
        format={formatBytes}
        entries={top.data.map((peer) => ({
          key: peer.peer_id,
          name: (
            <Link href={`/peers/${peer.peer_id}`} className="hearth-link">
              {peer.name}
            </Link>
          ),
          count: peer.total_bytes,
          note: `${formatBytes(peer.rx_bytes)} in, ${formatBytes(peer.tx_bytes)} out`,
        }))}
      />
    </Section>
  )
}
