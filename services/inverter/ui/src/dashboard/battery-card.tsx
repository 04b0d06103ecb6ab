import { formatCount, LoadingLines, StatusBadge } from '@hearth/ui'
import type { CSSProperties } from 'react'
import type { DeviceHealth } from '../api.ts'
import { Facts } from '../page-elements.tsx'
import { batteryLabel, type EnergyFlow } from '../values/energy-flow.ts'
import { numberOf, type ValueMap } from '../values/live-value.ts'
import { humanize, measure, percent, power, spell } from '../values/quantity.ts'
import { moduleFills, type Tower, towersOf } from './battery-towers.ts'
import { StaleSign, useStaleness } from './figure.tsx'

/** The battery: how full, what it does, and how it is. */
export function BatteryCard(props: {
  values: ValueMap | undefined
  flow: EnergyFlow | undefined
  health: DeviceHealth | undefined
}) {
  const { values, flow, health } = props
  const stale = useStaleness([values?.['battery_soc'], values?.['battery_power']])
  if (values === undefined) return <LoadingLines lines={5} />
  const towers = towersOf(values)
  const watts = flow?.battery
  const { digits, unit } = percent(numberOf(values, 'battery_soc'))
  return (
    <div className="battery" data-stale={stale !== null || undefined}>
      <div className="battery-towers">
        {towers.map((tower) => (
          <TowerPicture key={tower.name} tower={tower} isOnly={towers.length === 1} />
        ))}
      </div>
      <div className="battery-words">
        <p className="battery-charge">
          {digits}
          <small> {unit}</small> <StaleSign reason={stale} />
        </p>
        <p className="battery-power">
          {batteryLabel(watts)}
          {batteryLabel(watts) !== 'Idle' && watts !== undefined && <b> {spell(power(watts))}</b>}
        </p>
        <Facts facts={factsOf(values, towers, health)} />
        <BatteryFlags health={health} />
      </div>
    </div>
  )
}

function factsOf(values: ValueMap, towers: readonly Tower[], health: DeviceHealth | undefined): [string, string][] {
  const modules = towers.map((tower) => tower.modules).join(' + ')
  const days = health?.battery.days_to_calibration
  return [
    ['Temperature', towers.map((tower) => spell(measure(tower.temperature, '°C', 1))).join(' / ')],
    ['Voltage', spell(measure(numberOf(values, 'battery_voltage'), 'V', 1))],
    ['Modules', modules === '0' ? '–' : modules],
    ['Cycles', spell(measure(numberOf(values, 'battery_cycles'), ''))],
    ['Calibration', days === undefined || days === null ? '–' : `in ${formatCount(Math.ceil(days), 'day')}`],
  ]
}

function TowerPicture({ tower, isOnly }: { tower: Tower; isOnly: boolean }) {
  const fills = moduleFills(tower.soc, tower.modules)
  return (
    <figure className="tower">
      <div className="tower-stack" aria-hidden>
        {fills.map((fill, index) => (
          <span
            // Modules have no identity of their own; their place is it.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            style={{ '--fill': `${Math.round(fill * 100)}%` } as CSSProperties}
          />
        ))}
      </div>
      {!isOnly && (
        <figcaption>
          {tower.name}
          <br />
          {spell(percent(tower.soc))}
        </figcaption>
      )}
    </figure>
  )
}

function BatteryFlags({ health }: { health: DeviceHealth | undefined }) {
  if (health === undefined) return null
  const flags = [...new Set([...(health.battery.status?.flags ?? []), ...(health.battery.status2?.flags ?? [])])]
  return (
    <div className="flag-row">
      {health.battery.has_error && <StatusBadge tone="bad">Error</StatusBadge>}
      {health.battery.is_calibrating && <StatusBadge tone="accent">Calibrating</StatusBadge>}
      {health.battery.is_balancing && <StatusBadge tone="accent">Balancing</StatusBadge>}
      {flags
        .filter((flag) => !/^(?:error|balancing|calibration_\w+)$/.test(flag))
        .map((flag) => (
          <StatusBadge key={flag} tone="quiet">
            {humanize(flag)}
          </StatusBadge>
        ))}
    </div>
  )
}
