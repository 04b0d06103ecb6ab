import { formatCount, RelativeTime, Section, StatusBadge } from '@hearth/ui'
import { IconPlugConnectedX } from '@tabler/icons-react'
import type { SharedPortView } from '../api.ts'
import { Facts, Notice } from '../page-elements.tsx'

/** What the ports have done, why one is not open, and who is connected. */
export function SharedPortStatus({ view: { settings, ports, connections } }: { view: SharedPortView }) {
  const isFailed = ports.some(({ state }) => state === 'failed')
  const badge = !settings.enabled ? (
    <StatusBadge tone="quiet">Off</StatusBadge>
  ) : isFailed ? (
    <StatusBadge tone="bad">Not open</StatusBadge>
  ) : (
    <StatusBadge tone={ports.length === 0 ? 'quiet' : 'good'}>
      {ports.length === 0 ? 'No inverter chosen' : 'Open'}
    </StatusBadge>
  )
  return (
    <Section title="State" actions={badge}>
      {!settings.enabled && (
        <p className="hearth-dimmed">
          Home Assistant, evcc, rctclient and others can use the address of this host in the place of the inverter’s.
        </p>
      )}
      {ports.map((port) => (
        <div key={port.device_id} className="shared-port">
          {port.error !== null && (
            <Notice color="red" icon={IconPlugConnectedX} mb={12}>
              Port {port.port} of {port.device_id} is not open: {port.error}.
            </Notice>
          )}
          {port.state === 'listening' && (
            <>
              <h3>
                {port.device_id}, port {port.port}
              </h3>
              <Facts
                facts={[
                  ['Requests', port.requests.toLocaleString('en')],
                  ['Answered from what was just read', port.from_cache.toLocaleString('en')],
                  ['Without an answer', port.unanswered.toLocaleString('en')],
                  ['Values written', port.written.toLocaleString('en')],
                  ['Refused', port.refused.toLocaleString('en')],
                ]}
              />
              {port.last_refusal !== null && (
                <p className="hearth-dimmed">
                  Refused <RelativeTime value={port.last_refusal.at} />: {port.last_refusal.detail}.
                </p>
              )}
            </>
          )}
        </div>
      ))}
      {connections.length > 0 && (
        <ul className="plain-list shared-connections" aria-label="Connected programs">
          {connections.map(({ name, address, connected_at: at, requests }) => (
            <li key={`${address} ${at} ${requests}`}>
              <span>
                <strong>{name}</strong> <span className="hearth-mono hearth-dimmed">{address}</span>
              </span>
              <span className="hearth-dimmed">
                <RelativeTime value={at} />, {formatCount(requests, 'request')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
