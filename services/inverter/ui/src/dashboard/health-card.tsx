import { Fact, QueryState, StatusBadge } from '@hearth/ui'
import type { UseQueryResult } from '@tanstack/react-query'
import type { DeviceHealth } from '../api.ts'
import { humanize } from '../values/quantity.ts'

/** Faults and the state of inverter and battery, in words. */
export function HealthCard({ health }: { health: UseQueryResult<DeviceHealth> }) {
  if (health.data === undefined) return <QueryState query={health} lines={3} />
  const { faults, state, battery, unavailable } = health.data
  const isFine = faults.length === 0 && !battery.has_error
  return (
    <div className="health">
      <div className="flag-row">
        <StatusBadge tone={isFine ? 'good' : 'bad'}>
          {isFine ? 'No faults' : faults.length === 1 ? '1 fault' : `${faults.length} faults`}
        </StatusBadge>
        {battery.is_calibrating && <StatusBadge tone="accent">Calibrating</StatusBadge>}
        {battery.is_balancing && <StatusBadge tone="accent">Balancing</StatusBadge>}
      </div>
      {faults.length > 0 && (
        <ul className="fault-list">
          {faults.map((fault) => (
            <li key={fault.bit}>
              {humanize(fault.label)} <small className="hearth-dimmed">bit {fault.bit}</small>
            </li>
          ))}
        </ul>
      )}
      <dl className="hearth-facts">
        <Fact name="Inverter">{state === null ? '–' : humanize(state.label ?? `state ${state.code}`)}</Fact>
        <Fact name="Battery">{batteryStatus(battery)}</Fact>
        <Fact name="Days to calibration">
          {battery.days_to_calibration === null ? '–' : Math.ceil(battery.days_to_calibration)}
        </Fact>
      </dl>
      {unavailable.length > 0 && (
        <p className="hearth-dimmed health-missing">
          Could not be read: <span className="hearth-mono">{unavailable.join(', ')}</span>
        </p>
      )}
    </div>
  )
}

function batteryStatus(battery: DeviceHealth['battery']): string {
  if (battery.status === null) return '–'
  return battery.status.flags.length === 0 ? 'Normal' : battery.status.flags.map(humanize).join(', ')
}
