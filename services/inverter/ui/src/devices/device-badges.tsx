import { StatusBadge, type Tone } from '@hearth/ui'
import { IconFlask, IconLoader2, IconTool } from '@tabler/icons-react'
import type { AdminDevice } from '../api.ts'

const looks: Record<AdminDevice['state'], { tone: Tone; text: string; icon?: typeof IconTool }> = {
  ok: { tone: 'good', text: 'Connected' },
  degraded: { tone: 'warn', text: 'Degraded' },
  unreachable: { tone: 'bad', text: 'Unreachable' },
  maintenance: { tone: 'accent', text: 'Maintenance', icon: IconTool },
  starting: { tone: 'quiet', text: 'Starting', icon: IconLoader2 },
}

/** How a device stands, as an icon and a word. */
export function DeviceStateBadge({ state }: { state: AdminDevice['state'] }) {
  const { tone, text, icon } = looks[state]
  return (
    <StatusBadge tone={tone} icon={icon}>
      {text}
    </StatusBadge>
  )
}

/** Stands wherever the name of a device that does not exist in the real world stands. */
export function SimulatedBadge({ device }: { device: Pick<AdminDevice, 'is_simulated'> }) {
  if (!device.is_simulated) return null
  return (
    <StatusBadge tone="warn" icon={IconFlask}>
      Simulated
    </StatusBadge>
  )
}

/** What a state means and what can be done, in a sentence. */
export const stateSentences: Record<AdminDevice['state'], string> = {
  ok: 'The inverter answers.',
  degraded: 'The inverter answers, but not every time. Another program on the same connection is the usual reason.',
  unreachable: 'The inverter does not answer. Check its address, that it is on, and that the network reaches it.',
  maintenance: 'The inverter is in its boot loader, most likely for an update. Nothing is sent until it is back.',
  starting: 'The connection is being made.',
}
