import { Alert, Text } from '@mantine/core'
import { useConnection } from '@hearth/ui'
import { IconPlugConnectedX, IconTool } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { AdminDevice } from '../api.ts'
import { stateSentences } from './device-badges.tsx'

/** Says when nothing new arrives: because the service is gone, or because the inverter is. */
export function ConnectionBanner({ device }: { device: AdminDevice | undefined }) {
  const connection = useConnection()
  if (connection === 'reconnecting')
    return (
      <Alert
        color="red"
        variant="light"
        icon={<IconPlugConnectedX aria-hidden />}
        className="notice-banner"
        role="alert"
      >
        <Text size="md">
          <b>Connection lost.</b> The service does not answer. What you see is what was known last; this page tries
          again by itself.
        </Text>
      </Alert>
    )
  if (device === undefined || device.state === 'ok' || device.state === 'starting') return null
  const isMaintenance = device.state === 'maintenance'
  return (
    <Alert
      color={isMaintenance ? 'accent' : device.state === 'degraded' ? 'yellow' : 'red'}
      variant="light"
      icon={isMaintenance ? <IconTool aria-hidden /> : <IconPlugConnectedX aria-hidden />}
      className="notice-banner"
    >
      <Text size="md">
        <b>{device.display_name}:</b> {stateSentences[device.state]}{' '}
        <Link href="/diagnostics" className="hearth-link">
          Check the connection
        </Link>
      </Text>
    </Alert>
  )
}
