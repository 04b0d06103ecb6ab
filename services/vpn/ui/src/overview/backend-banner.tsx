import { Alert, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { Dashboard } from '../api.ts'

/** Says quietly that there would be a better data plane; that tunnels are simulated is a matter of health. */
export function BackendBanner({ system }: { system: Dashboard['system'] }) {
  if (system.backend === 'simulated' || system.backend_advice === null) return null
  return (
    <Alert
      role="note"
      className="backend-banner"
      color="gray"
      icon={<IconInfoCircle aria-hidden />}
      title="WireGuard runs as a program, not in the kernel"
    >
      <Text>Why: {system.backend_reason}.</Text>
      <Text>What to do: {system.backend_advice}</Text>
    </Alert>
  )
}
