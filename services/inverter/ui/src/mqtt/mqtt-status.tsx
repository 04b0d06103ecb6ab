import { formatCount, RelativeTime, Section, StatusBadge, type Tone } from '@hearth/ui'
import { IconPlugConnectedX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { MqttView } from '../api.ts'
import { Facts, Notice } from '../page-elements.tsx'

type Status = MqttView['status']

const states: Record<Status['state'], { tone: Tone; text: string }> = {
  off: { tone: 'quiet', text: 'Off' },
  connecting: { tone: 'accent', text: 'Connecting' },
  connected: { tone: 'good', text: 'Connected' },
  waiting: { tone: 'bad', text: 'Not connected' },
}

/** The state of the connection, why it failed, what has gone over it, and below what can be done. */
export function MqttStatus({ status, children }: { status: Status; children: ReactNode }) {
  const { tone, text } = states[status.state]
  return (
    <Section title="Connection" actions={<StatusBadge tone={tone}>{text}</StatusBadge>}>
      {status.last_error !== null && (
        <Notice color="red" icon={IconPlugConnectedX} mb={12}>
          {status.last_error}.{' '}
          {status.next_attempt_at !== null && (
            <>
              Next attempt <RelativeTime value={status.next_attempt_at} />.
            </>
          )}
        </Notice>
      )}
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
      <div className="mqtt-test">{children}</div>
    </Section>
  )
}
