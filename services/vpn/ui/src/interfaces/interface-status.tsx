import { Tooltip } from '@mantine/core'
import { StatusBadge } from '@hearth/ui'
import { IconAlertTriangle, IconHourglass, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import type { Interface } from '../api.ts'

const appearances = {
  active: { tone: 'good', text: 'Running', icon: IconPlayerPlay },
  inactive: { tone: 'quiet', text: 'Stopped', icon: IconPlayerStop },
  error: { tone: 'bad', text: 'Failed', icon: IconAlertTriangle },
  waiting: { tone: 'quiet', text: 'Waiting', icon: IconHourglass },
} as const

/** Badge with the status of an interface, and the reason of a failure or a wait. Stands apart from the actions: the first page shows it. */
export function InterfaceStatusBadge({ interface: shown }: { interface: Pick<Interface, 'status' | 'status_reason'> }) {
  const isWaiting = shown.status === 'inactive' && shown.status_reason !== null
  const appearance = appearances[isWaiting ? 'waiting' : shown.status]
  const badge = (
    <StatusBadge tone={appearance.tone} icon={appearance.icon}>
      {appearance.text}
    </StatusBadge>
  )
  if (shown.status_reason === null) return badge
  return (
    <Tooltip label={shown.status_reason} multiline maw={320}>
      <span>
        {badge} <span className="interface-reason">{shown.status_reason}</span>
      </span>
    </Tooltip>
  )
}
