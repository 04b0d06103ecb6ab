import { Text } from '@mantine/core'
import { RelativeTime, StatusBadge } from '@hearth/ui'
import { IconPlugConnected } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { keys, type Peer, readOverview } from '../api.ts'
import { readPeer } from './read-peers.ts'

/** Says live whether a device has connected: the event stream keeps the peer current. */
export function HandshakeStatus({ peer: given }: { peer: Peer }) {
  const { data: peer } = useQuery({
    queryKey: [...keys.peers, given.id],
    queryFn: () => readPeer(given.id),
    initialData: given,
  })
  const overview = useQuery({ queryKey: keys.overview, queryFn: readOverview })
  const isSimulated = overview.data?.system.backend === 'simulated'
  return (
    <output className="handshake-status">
      {peer.connected ? (
        <StatusBadge tone="good" icon={IconPlugConnected}>
          Connected
        </StatusBadge>
      ) : (
        <StatusBadge tone="quiet">Waiting for the device</StatusBadge>
      )}
      <Text size="sm" component="span">
        {peer.last_handshake === null ? (
          'No handshake yet.'
        ) : (
          <>
            Last handshake <RelativeTime value={peer.last_handshake} />.
          </>
        )}
      </Text>
      {isSimulated && !peer.connected && (
        <Text size="sm" component="span">
          Tunnels are simulated on this host, so no device can connect.
        </Text>
      )}
    </output>
  )
}
