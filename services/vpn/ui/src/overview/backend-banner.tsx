import { Alert, Text } from '@mantine/core'
import { IconFlask, IconInfoCircle } from '@tabler/icons-react'
import type { Dashboard } from '../api.ts'

/** Says loudly that tunnels are simulated, or quietly that there would be a better data plane. */
export function BackendBanner({ system }: { system: Dashboard['system'] }) {
  const simulated = system.backend === 'simulated'
  if (!simulated && system.backend_advice === null) return null
  return (
    <Alert
      role="note"
      className="backend-banner"
      color={simulated ? 'yellow' : 'gray'}
      icon={simulated ? <IconFlask aria-hidden /> : <IconInfoCircle aria-hidden />}
      title={simulated ? 'Tunnels are simulated: no packets flow' : 'WireGuard runs as a program, not in the kernel'}
    >
      <Text>Why: {system.backend_reason}.</Text>
      {system.backend_advice !== null && <Text>What to do: {system.backend_advice}</Text>}
    </Alert>
  )
}
