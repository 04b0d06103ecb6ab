import { EmptyState, useConnection } from '@hearth/ui'
import { Alert, Text, Button, Group } from '@mantine/core'
import { IconPlugConnectedX, IconTool, IconFlask } from '@tabler/icons-react'
import type { ComponentProps } from 'react'
import { Link } from 'wouter'
import type { AdminDevice } from '../api.ts'
import { Notice } from '../page-elements.tsx'
import { stateDescriptions } from './device-badges.tsx'

/** Banner for a lost connection to the service or the inverter. */
export function ConnectionBanner({ device }: { device: AdminDevice | undefined }) {
  const connection = useConnection()
  if (connection === 'reconnecting')
    return (
      <Notice color="red" icon={IconPlugConnectedX}>
        <b>Connection lost.</b> The service does not answer. The page shows the last known values and reconnects
        automatically.
      </Notice>
    )
  if (device === undefined || device.state === 'ok' || device.state === 'starting') return null
  const isMaintenance = device.state === 'maintenance'
  return (
    <Notice
      color={isMaintenance ? 'accent' : device.state === 'degraded' ? 'yellow' : 'red'}
      icon={isMaintenance ? IconTool : IconPlugConnectedX}
    >
      <b>{device.display_name}:</b> {stateDescriptions[device.state]}{' '}
      <Link href="/diagnostics" className="hearth-link">
        Check the connection
      </Link>
    </Notice>
  )
}

/** Banner for simulated values, with a link to add a real inverter. */
export function SimulatedBanner({ devices }: { devices: readonly AdminDevice[] }) {
  const simulated = devices.filter((device) => device.is_simulated)
  if (simulated.length === 0) return null
  const isAll = simulated.length === devices.length
  return (
    <Alert color="yellow" variant="light" icon={<IconFlask aria-hidden />} className="notice-banner">
      <Group justify="space-between" gap="sm">
        <Text size="md" className="notice-text">
          {isAll
            ? 'These values come from a simulated inverter. Try anything without risk, then add your own inverter.'
            : `${simulated.map((device) => device.display_name).join(', ')} is simulated. Remove it when you no longer need it.`}
        </Text>
        {isAll && (
          <Button component={Link} href="/inverters?add=1" size="xs" variant="default">
            Add your inverter
          </Button>
        )}
      </Group>
    </Alert>
  )
}

/** Shown in the place of a page's content while there is no inverter, with a link to add one. */
export function NoInverter(props: Pick<ComponentProps<typeof EmptyState>, 'icon' | 'title' | 'children'>) {
  const add = (
    <Button component={Link} href="/inverters?add=1">
      Add inverter
    </Button>
  )
  return <EmptyState {...props} action={add} />
}
