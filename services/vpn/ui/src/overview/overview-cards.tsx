import { formatRate, Section, Fact, QueryState, EmptyState, RelativeTime } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { type Dashboard, keys, type Peer, readStats, readStatus } from '../api.ts'
import { rateHistoryKey } from '../live-cache.ts'
import type { RateSample } from '../live-changes.ts'
import { scaleTop, sparkPath } from './spark-path.ts'
import { Link } from 'wouter'
import { FilterBadge, PauseControl } from '../dns/filter-state.tsx'
import { IconPlugConnected } from '@tabler/icons-react'
import { PeerStatusBadge } from '../peers/peer-status.tsx'
import { readPeers } from '../peers/peer-actions.ts'

const box = { width: 600, height: 120 }

/** Traffic of the last minutes as it comes in with the events. */
export function TrafficCard({ overview }: { overview: Dashboard }) {
  const { data: samples = [] } = useQuery<RateSample[]>({
    queryKey: rateHistoryKey,
    queryFn: () => [],
    staleTime: Number.POSITIVE_INFINITY,
    enabled: false,
  })
  const received = samples.map(({ rx }) => rx)
  const sent = samples.map(({ tx }) => tx)
  const top = scaleTop([...received, ...sent])
  const slots = Math.max(30, samples.length)
  const rx = sparkPath(received, { ...box, slots }, top)
  const tx = sparkPath(sent, { ...box, slots }, top)
  const { rx_rate, tx_rate } = overview.traffic
  return (
    <Section title="Traffic now">
      <dl className="traffic-legend">
        <div data-line="rx">
          <dt>Received</dt>
          <dd>{formatRate(rx_rate)}</dd>
        </div>
        <div data-line="tx">
          <dt>Sent</dt>
          <dd>{formatRate(tx_rate)}</dd>
        </div>
      </dl>
      <div className="traffic-plot">
        <span className="traffic-top">{formatRate(top)}</span>
        <svg viewBox={`0 0 ${box.width} ${box.height}`} preserveAspectRatio="none" aria-hidden>
          <path d={rx.area} className="traffic-area" />
          <path d={rx.path} className="traffic-rx" />
          <path d={tx.path} className="traffic-tx" />
        </svg>
        {samples.length < 2 && <p className="traffic-wait">The chart appears with the next samples.</p>}
      </div>
    </Section>
  )
}

/** The filter in a few figures, with the way to pause it. */
export function FilterCard() {
  const status = useQuery({ queryKey: keys.dnsStatus, queryFn: readStatus, refetchInterval: 15_000 })
  const stats = useQuery({
    queryKey: [...keys.dnsStats, 24],
    queryFn: () => readStats(24),
    refetchInterval: 30_000,
  })
  return (
    <Section
      title="DNS filter"
      actions={
        <Link href="/dns" className="hearth-link">
          Statistics
        </Link>
      }
    >
      <QueryState query={status} lines={2} />
      {status.data !== undefined && (
        <div className="filter-row">
          <FilterBadge status={status.data} />
          <PauseControl blocking={status.data.blocking} size="xs" />
        </div>
      )}
      {stats.data !== undefined && (
        <dl className="filter-figures">
          <Fact name="Queries in 24 hours">{stats.data.total_queries.toLocaleString('en')}</Fact>
          <Fact name="Blocked">
            {stats.data.blocked_queries.toLocaleString('en')}{' '}
            <small className="hearth-dimmed">{stats.data.block_percentage} %</small>
          </Fact>
          <Fact name="Blocked names">{stats.data.blocklist_size.toLocaleString('en')}</Fact>
        </dl>
      )}
    </Section>
  )
}

const query = { limit: 6, sort: 'last_handshake', order: 'desc' } as const

/** The peers connected from last. */
export function RecentPeers() {
  const peers = useQuery({ queryKey: [...keys.peers, query], queryFn: () => readPeers(query) })
  const connected = (peers.data?.peers ?? []).filter((peer) => peer.last_handshake !== null)
  return (
    <Section
      title="Recent connections"
      actions={
        <Link href="/peers" className="hearth-link">
          All peers
        </Link>
      }
    >
      <QueryState query={peers} lines={3} />
      {peers.data !== undefined && connected.length === 0 && (
        <EmptyState icon={IconPlugConnected} title="No device has connected yet">
          Devices appear here after their first handshake.
        </EmptyState>
      )}
      <ul className="recent-peers">
        {connected.map((peer) => (
          <RecentPeer key={peer.id} peer={peer} />
        ))}
      </ul>
    </Section>
  )
}

function RecentPeer({ peer }: { peer: Peer }) {
  return (
    <li>
      <Link href={`/peers/${peer.id}`} className="hearth-name">
        {peer.name}
      </Link>
      <PeerStatusBadge peer={peer} />
      <span className="hearth-dimmed">
        <RelativeTime value={peer.last_handshake} />
      </span>
    </li>
  )
}
