import { Menu, UnstyledButton } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { hearthServices } from './hearth-services.ts'
import { StatusBadge } from './status-badge.tsx'

/** Another Hearth service of the installation, as the API lists it. */
export interface Neighbour {
  service: keyof typeof hearthServices
  state: 'running' | 'not_ready'
  address: string
  /** Address of the portal at which people sign in, of the sites service alone. */
  portal?: string | null
}

/** Menu of the other Hearth services that answer. Renders nothing when there is none. */
export function ServiceSwitcher({ read }: { read: () => Promise<readonly Neighbour[]> }) {
  const { data = [], refetch } = useQuery({
    queryKey: ['neighbours'],
    queryFn: read,
    // Other services send no events, so they are read again when somebody comes back to the page.
    refetchOnWindowFocus: true,
    staleTime: 10_000,
  })
  if (data.length === 0) return null
  return (
    <Menu position="bottom-start" width={280} onOpen={() => void refetch()}>
      <Menu.Target>
        <UnstyledButton className="hearth-switcher" aria-label="Other Hearth services">
          <IconSelector size={18} stroke={1.6} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Other services</Menu.Label>
        {data.map((neighbour) => (
          <NeighbourItem key={neighbour.service} neighbour={neighbour} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function NeighbourItem({ neighbour: { service, state, address } }: { neighbour: Neighbour }) {
  const { name, icon: Icon, accent } = hearthServices[service]
  const isRunning = state === 'running'
  return (
    <Menu.Item
      component="a"
      href={address}
      leftSection={<Icon size={20} stroke={1.7} color={`light-dark(${accent[8]}, ${accent[3]})`} aria-hidden />}
      rightSection={
        <StatusBadge tone={isRunning ? 'good' : 'warn'}>{isRunning ? 'Running' : 'Needs attention'}</StatusBadge>
      }
    >
      {name}
    </Menu.Item>
  )
}
