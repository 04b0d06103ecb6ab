import { StatusBadge, type Tone } from '@hearth/ui'
import { IconFlask, IconLoader2, IconTool } from '@tabler/icons-react'
import type { AdminDevice } from '../api.ts'

const badges: Record<AdminDevice['state'], { tone: Tone; text: string; icon?: typeof IconTool }> = {
  ok: { tone: 'good', text: 'Connected' },
  degraded: { tone: 'warn', text: 'Degraded' },
  unreachable: { tone: 'bad', text: 'Unreachable' },
  maintenance: { tone: 'accent', text: 'Maintenance', icon: IconTool },
  starting: { tone: 'quiet', text: 'Starting', icon: IconLoader2 },
}

/** State of a device, as an icon and a label. */
export function DeviceStateBadge({ state }: { state: AdminDevice['state'] }) {
  const { tone, text, icon } = badges[state]
  return (
    <StatusBadge tone={tone} icon={icon}>
      {text}
    </StatusBadge>
  )
}

/** Marks a simulated device beside its name. */
export function SimulatedBadge({ device }: { device: Pick<AdminDevice, 'is_simulated'> }) {
  if (!device.is_simulated) return null
  return (
    <StatusBadge tone="warn" icon={IconFlask}>
      Simulated
    </StatusBadge>
  )
}

/** Descriptions of the states, with what to do. */
export const stateDescriptions: Record<AdminDevice['state'], string> = {
  ok: 'The inverter is online.',
  degraded: 'The inverter answers only some requests, usually because another client uses the same connection.',
  unreachable:
    'The inverter does not answer. Check its address, its power and the network. One without a battery switches off in the dark.',
  maintenance: 'The inverter is in its boot loader, most likely for an update. Requests are paused until it is back.',
  starting: 'Connecting.',
}
