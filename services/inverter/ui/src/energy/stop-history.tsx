import { RelativeTime, Section } from '@hearth/ui'
import type { EnergyDevice } from '../api.ts'
import { actions, stopReasons } from './energy-words.ts'

/** How the last commands ended. */
export function StopHistory({ energy }: { energy: EnergyDevice }) {
  return (
    <Section title="Command history">
      {energy.stops.length === 0 ? (
        <p className="hearth-dimmed stop-none">No commands yet.</p>
      ) : (
        <ol className="plain-list stop-list">
          {energy.stops.slice(0, 12).map((stop) => (
            <li key={stop.operation_id}>
              <b>{actions[stop.action].label}</b>
              <span>{stopReasons[stop.reason]}</span>
              <span className="hearth-dimmed">
                <RelativeTime value={stop.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}
