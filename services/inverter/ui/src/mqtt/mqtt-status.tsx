import { formatCount, RelativeTime, type Tone } from '@hearth/ui'
import type { ReactNode } from 'react'
import type { MqttView } from '../api.ts'
import { ConnectionSection } from '../connection/connection-section.tsx'
import { Facts } from '../page-elements.tsx'

type Status = MqttView['status']

const states: Record<Status['state'], { tone: Tone; text: string }> = {
  off: { tone: 'quiet', text: 'Off' },
  connecting: { tone: 'accent', text: 'Connecting' },
  connected: { tone: 'good', text: 'Connected' },
  waiting: { tone: 'bad', text: 'Not connected' },
}

/** The state of the connection, why it failed, what has gone over it, and below what can be done. */
export function MqttStatus({ status, children }: { status: Status; children: ReactNode }) {
  return (
    <ConnectionSection status={status} badge={states[status.state]} test={children}>
      {status.state === 'off' ? (
        <p className="hearth-dimmed">
          Home Assistant and other programs get the values of your inverters as soon as MQTT is on.
        </p>
      ) : (
        <Facts
          facts={[
            ['Since', <RelativeTime key="since" value={status.since} />],
            ['Messages published', status.published.toLocaleString('en')],
            ['Waiting for the broker', formatCount(status.waiting, 'message')],
            ['Commands carried out', status.commands_carried_out.toLocaleString('en')],
            ['Commands refused', status.commands_refused.toLocaleString('en')],
          ]}
        />
      )}
    </ConnectionSection>
  )
}
