import { Alert, Button, Group, Text } from '@mantine/core'
import { IconFlask } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { AdminDevice } from '../api.ts'

/** Says that what is shown is made up, and how a real inverter gets here. */
export function SimulatedBanner({ devices }: { devices: readonly AdminDevice[] }) {
  const simulated = devices.filter((device) => device.is_simulated)
  if (simulated.length === 0) return null
  const isAll = simulated.length === devices.length
  return (
    <Alert color="yellow" variant="light" icon={<IconFlask aria-hidden />} className="notice-banner">
      <Group justify="space-between" gap="sm">
        <Text size="md" className="notice-text">
          {isAll
            ? 'These values come from a simulated inverter. Everything can be tried without risk; add yours to see the real house.'
            : `${simulated.map((device) => device.display_name).join(', ')} is simulated. Remove it when it is no longer needed.`}
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
