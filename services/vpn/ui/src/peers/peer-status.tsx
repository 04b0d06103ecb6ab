import { StatusBadge, type Tone } from '@hearth/ui'
import { IconBan, IconClockX, IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Peer } from '../api.ts'

interface Look {
  tone: Tone
  text: string
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
}

const looks: Record<Peer['status'] | 'expired', Look> = {
  active: { tone: 'good', text: 'Connected', icon: IconPlugConnected },
  inactive: { tone: 'quiet', text: 'Not connected', icon: IconPlugConnectedX },
  disabled: { tone: 'warn', text: 'Disabled', icon: IconBan },
  expired: { tone: 'bad', text: 'Expired', icon: IconClockX },
}

/** Whether a peer is connected, and why not. */
export function PeerStatusBadge({ peer }: { peer: Pick<Peer, 'status' | 'expired'> }) {
  const look = looks[peer.expired ? 'expired' : peer.status]
  return (
    <StatusBadge tone={look.tone} icon={look.icon}>
      {look.text}
    </StatusBadge>
  )
}
