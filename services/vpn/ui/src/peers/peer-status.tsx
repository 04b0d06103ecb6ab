import { RelativeTime, StatusBadge, type Tone } from '@hearth/ui'
import { IconBan, IconClockExclamation, IconClockX, IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keys, type Peer, readOverview } from '../api.ts'
import { readPeer } from './peer-actions.ts'

interface Appearance {
  tone: Tone
  text: string
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
}

const appearances: Record<Peer['status'] | 'expired', Appearance> = {
  active: { tone: 'good', text: 'Connected', icon: IconPlugConnected },
  inactive: { tone: 'quiet', text: 'Not connected', icon: IconPlugConnectedX },
  disabled: { tone: 'warn', text: 'Disabled', icon: IconBan },
  expired: { tone: 'bad', text: 'Expired', icon: IconClockX },
}

/** Badge with the status of a peer, and the reason when it is not connected. */
export function PeerStatusBadge({ peer }: { peer: Pick<Peer, 'status' | 'expired'> }) {
  const appearance = appearances[peer.expired ? 'expired' : peer.status]
  return (
    <StatusBadge tone={appearance.tone} icon={appearance.icon}>
      {appearance.text}
    </StatusBadge>
  )
}

/** Says when a peer expires, if that is soon. */
export function ExpiresSoon({ peer }: { peer: Pick<Peer, 'expires_at' | 'expires_soon'> }) {
  if (!peer.expires_soon) return null
  return (
    <span className="peer-expires">
      <IconClockExclamation size={14} aria-hidden />
      <span>
        Expires <RelativeTime value={peer.expires_at} />
      </span>
    </span>
  )
}

/** Live state of a device's connection; the event stream keeps the peer current. */
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
