import { EmptyState, QueryState, RelativeTime, Section } from '@hearth/ui'
import { IconPlugConnected } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { keys, type Peer } from '../api.ts'
import { PeerStatusBadge } from '../peers/peer-status.tsx'
import { readPeers } from '../peers/read-peers.ts'

const query = { limit: 6, sort: 'last_handshake', order: 'desc' } as const

/** The peers heard from last. */
export function RecentPeers() {
  const peers = useQuery({ queryKey: [...keys.peers, query], queryFn: () => readPeers(query) })
  const heard = (peers.data?.peers ?? []).filter((peer) => peer.last_handshake !== null)
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
      {peers.data !== undefined && heard.length === 0 && (
        <EmptyState icon={IconPlugConnected} title="No device has connected yet">
          Devices appear here after their first handshake.
        </EmptyState>
      )}
      <ul className="recent-peers">
        {heard.map((peer) => (
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
