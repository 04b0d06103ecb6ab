import { Button } from '@mantine/core'
import { answer, Section, StatusBadge, useAction, useSession } from '@hearth/ui'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, type DnsPeerPause, keys, type Peer } from '../api.ts'
import { useTimeLeft } from './filter-state.tsx'

/** The pauses that devices made of their own filter; administrators alone read them. */
function useDevicePauses(): readonly DnsPeerPause[] {
  const { isAdmin } = useSession()
  const pauses = useQuery({
    queryKey: keys.dnsPauses,
    queryFn: async () => (await answer(api.GET('/api/dns/peer-pauses'))).data,
    enabled: isAdmin,
  })
  return pauses.data ?? []
}

/** Card of the devices that paused their filter; nothing while there are none. */
export function DevicePauses() {
  const pauses = useDevicePauses()
  if (pauses.length === 0) return null
  return (
    <Section title="Paused by the device">
      <ul className="health-list">
        {pauses.map((pause) => (
          <li key={pause.peer.id} className="device-pause">
            <Link href={`/peers/${pause.peer.id}`} className="hearth-link wrap-anywhere">
              {pause.peer.name}
            </Link>
            <PauseLeft pause={pause} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** The pause that a device made of its filter; nothing while there is none. */
export function PeerPause({ peer }: { peer: Peer }) {
  const pause = useDevicePauses().find((one) => one.peer.id === peer.id)
  if (pause === undefined) return null
  return (
    <section className="device-pause" aria-label="Filter paused by the device">
      <span>The device paused its filter.</span>
      <PauseLeft pause={pause} />
    </section>
  )
}

function PauseLeft({ pause: { peer, paused_until: until } }: { pause: DnsPeerPause }) {
  const left = useTimeLeft(until)
  const end = useAction<void, { message: string }>({
    run: () => answer(api.DELETE('/api/dns/peer-pauses/{id}', { params: { path: { id: peer.id } } })),
    renew: [keys.dnsPauses],
  })
  if (left === undefined) return null
  return (
    <>
      <StatusBadge tone="warn" icon={IconPlayerPause}>
        Paused, <span className="countdown">{left}</span> left
      </StatusBadge>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlayerPlay size={14} aria-hidden />}
        aria-label={`End pause of ${peer.name}`}
        loading={end.isPending}
        onClick={() => end.mutate()}
      >
        End pause
      </Button>
    </>
  )
}
