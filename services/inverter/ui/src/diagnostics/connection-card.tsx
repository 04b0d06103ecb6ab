import { Alert, List, Text } from '@mantine/core'
import { formatCount, RelativeTime, Section, StatusBadge, type Tone } from '@hearth/ui'
import { IconBulb } from '@tabler/icons-react'
import type { Transports } from '../api.ts'
import { humanize } from '../values/quantity.ts'
import { countersOf, hintsOf } from './counter-hints.ts'

type Transport = Transports['transports'][number]

const tones: Record<string, Tone> = { connected: 'good', connecting: 'accent', maintenance: 'accent' }

/** One connection with its counters, what they mean, and its devices. */
export function ConnectionCard({ transport, all }: { transport: Transport; all: Transports }) {
  const hints = hintsOf(transport)
  return (
    <Section
      title={transport.endpoint_id}
      actions={
        <span className="flag-row">
          {transport.foreign_access_suspected && <StatusBadge tone="warn">Another client suspected</StatusBadge>}
          <StatusBadge tone={tones[transport.state] ?? 'quiet'}>{humanize(transport.state)}</StatusBadge>
        </span>
      }
    >
      <div className="hearth-stack">
        {hints.length > 0 && (
          <Alert color="yellow" variant="light" icon={<IconBulb aria-hidden />} className="notice-banner" mb={0}>
            <List size="md" spacing={4} className="hint-list">
              {hints.map((hint) => (
                <List.Item key={hint}>{hint}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <dl className="counters">
          {countersOf(transport).map(({ label, value, meaning, isUnusual }) => (
            <div key={label} data-unusual={isUnusual || undefined}>
              <dt>{label}</dt>
              <dd>{value.toLocaleString('en')}</dd>
              <dd className="counter-meaning">{meaning}</dd>
            </div>
          ))}
        </dl>
        <Text className="hearth-dimmed">
          Last frame <RelativeTime value={transport.last_frame_at} />, {transport.request_gap_ms} ms between requests.
        </Text>
        <ul className="plain-list periodic-list">
          {transport.device_ids.map((id) => (
            <PeriodicLine key={id} id={id} all={all} />
          ))}
        </ul>
        {transport.device_ids.map((id) => (
          <UnansweredMetrics key={id} id={id} metrics={all.unanswered_metrics[id] ?? []} />
        ))}
      </div>
    </Section>
  )
}

function PeriodicLine({ id, all }: { id: string; all: Transports }) {
  const isAvailable = all.periodic_available[id] ?? null
  const failures = all.periodic_setup_failures[id] ?? 0
  const reason = all.periodic_last_failure[id] ?? null
  return (
    <li>
      <b>{id}</b>
      <StatusBadge tone={isAvailable === true ? 'good' : isAvailable === false ? 'warn' : 'quiet'}>
        {isAvailable === true
          ? `Sends ${formatCount(all.periodic_registrations[id] ?? 0, 'value')} by itself`
          : isAvailable === false
            ? 'Values are queried one by one'
            : 'Periodic reads are off'}
      </StatusBadge>
      {failures > 0 && (
        <span className="hearth-dimmed">
          {failures} failed {failures === 1 ? 'attempt' : 'attempts'} to set that up
          {reason !== null && `, last: ${humanize(reason).toLowerCase()}`}
        </span>
      )}
    </li>
  )
}

/** Metrics that the device's firmware does not answer; silent while there are none. */
function UnansweredMetrics({ id, metrics }: { id: string; metrics: Transports['unanswered_metrics'][string] }) {
  if (metrics.length === 0) return null
  return (
    <div>
      <Text>
        The firmware of <b>{id}</b> does not answer {metrics.length === 1 ? 'this metric' : 'these metrics'}. The other
        values are read without {metrics.length === 1 ? 'it' : 'them'}.
      </Text>
      <ul className="plain-list periodic-list">
        {metrics.map(({ name, retry_at: retryAt }) => (
          <li key={name}>
            <span className="hearth-mono">{name}</span>
            <span className="hearth-dimmed">
              next attempt <RelativeTime value={retryAt} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
