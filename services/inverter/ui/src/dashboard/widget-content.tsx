import { RelativeTime } from '@hearth/ui'
import {
  IconBattery3,
  IconCalendarEvent,
  IconHome,
  IconPercentage,
  IconPlugConnected,
  IconSolarElectricity,
  IconSolarPanel2,
  IconTemperature,
  IconTransform,
  IconListNumbers,
} from '@tabler/icons-react'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type AdminDevice, type DeviceHealth, keys, readParameters } from '../api.ts'
import { DeviceStateBadge, SimulatedBadge } from '../devices/device-badges.tsx'
import { batteryLabel, type EnergyFlow, gridLabel } from '../values/energy-flow.ts'
import { numberOf, type ValueMap } from '../values/live-value.ts'
import { PylonIcon } from '../values/pylon-icon.tsx'
import { humanize, measure, percent, power, type Quantity } from '../values/quantity.ts'
import { BatteryCard } from './battery-card.tsx'
import { ControlCard } from './control-card.tsx'
import { EnergyToday } from './energy-today.tsx'
import { Figure, useStaleness } from './figure.tsx'
import { FlowCard } from './flow-card.tsx'
import type { PlacedWidget } from './grid-placement.ts'
import { HealthCard } from './health-card.tsx'

/** Everything widgets show. */
export interface WidgetData {
  device: AdminDevice
  devices: readonly AdminDevice[]
  values: ValueMap | undefined
  /** Energy flow; undefined before values have arrived. */
  flow: EnergyFlow | undefined
  health: UseQueryResult<DeviceHealth>
}

/** True for widgets that are one number and have no heading of their own. */
export function isFigure(id: PlacedWidget['id']): boolean {
  return !['energy-flow', 'battery', 'health', 'energy-today', 'devices', 'dispatch'].includes(id)
}

/** Content of a widget. */
export function WidgetContent({ id, data }: { id: PlacedWidget['id']; data: WidgetData }) {
  switch (id) {
    case 'energy-flow':
      return <FlowCard values={data.values} flow={data.flow} />
    case 'battery':
      return <BatteryCard values={data.values} flow={data.flow} health={data.health.data} />
    case 'health':
      return <HealthCard health={data.health} />
    case 'energy-today':
      return <EnergyToday values={data.values} />
    case 'devices':
      return <DeviceList devices={data.devices} />
    case 'dispatch':
      return <ControlCard device={data.device} />
    case 'metric-count':
      return <MetricCount />
    case 'device-count':
      return <Figure label="Configured inverters" icon={IconSolarElectricity} quantity={count(data.devices.length)} />
    case 'connected-count':
      return <ConnectedCount devices={data.devices} />
    case 'inverter-state':
      return <InverterState health={data.health} />
    case 'days-to-calibration':
      return <DaysToCalibration health={data.health} />
    case 'pv-power':
    case 'house-power':
    case 'grid-power':
    case 'battery-power':
    case 'battery-soc':
    case 'battery-temperature':
      return <LiveFigure id={id} values={data.values} flow={data.flow} />
  }
}

const count = (value: number) => measure(value, '')

type LiveId = 'pv-power' | 'house-power' | 'grid-power' | 'battery-power' | 'battery-soc' | 'battery-temperature'

const liveFigures = {
  'pv-power': { label: 'Solar', icon: IconSolarPanel2, kind: 'solar', names: ['solar_a_power', 'solar_b_power'] },
  'house-power': { label: 'House', icon: IconHome, kind: 'house', names: ['household_load_power'] },
  'grid-power': { label: 'Grid', icon: PylonIcon, kind: 'grid', names: ['grid_power'] },
  'battery-power': { label: 'Battery', icon: IconBattery3, kind: 'battery', names: ['battery_power'] },
  'battery-soc': { label: 'State of charge', icon: IconPercentage, kind: 'battery', names: ['battery_soc'] },
  'battery-temperature': {
    label: 'Battery temperature',
    icon: IconTemperature,
    kind: 'battery',
    names: ['battery_temperature'],
  },
} as const

function LiveFigure({ id, values, flow }: { id: LiveId } & Pick<WidgetData, 'values' | 'flow'>) {
  const { names, ...look } = liveFigures[id]
  const stale = useStaleness(
    names.map((name) => values?.[name]),
    id === 'battery-temperature' ? 'slow' : 'flow',
  )
  const { quantity, note } = values === undefined || flow === undefined ? {} : liveFigure(id, { values, flow })
  return <Figure {...look} quantity={quantity} note={note} stale={stale} />
}

function liveFigure(
  id: LiveId,
  { values, flow }: { values: ValueMap; flow: EnergyFlow },
): { quantity: Quantity; note?: string } {
  switch (id) {
    case 'pv-power':
      return { quantity: power(flow.solar), note: 'produced now' }
    case 'house-power':
      return { quantity: power(flow.house), note: 'used now' }
    case 'grid-power':
      return { quantity: power(flow.grid), note: gridLabel(flow.grid) }
    case 'battery-power':
      return { quantity: power(flow.battery), note: batteryLabel(flow.battery) }
    case 'battery-soc':
      return { quantity: percent(flow.soc) }
    case 'battery-temperature':
      return { quantity: measure(numberOf(values, 'battery_temperature'), '°C', 1) }
  }
}

function MetricCount() {
  const parameters = useQuery({ queryKey: keys.parameters, queryFn: readParameters })
  const shown = parameters.data?.filter((parameter) => parameter.exposed).length
  return (
    <Figure
      label="Metrics shown"
      icon={IconListNumbers}
      quantity={shown === undefined ? undefined : count(shown)}
      note={parameters.data === undefined ? undefined : `of ${parameters.data.length} in the catalog`}
    />
  )
}

function ConnectedCount({ devices }: { devices: readonly AdminDevice[] }) {
  const connected = devices.filter(({ state }) => state === 'ok' || state === 'degraded').length
  return (
    <Figure
      label="Connected inverters"
      icon={IconPlugConnected}
      quantity={count(connected)}
      note={`of ${devices.length}`}
    />
  )
}

function InverterState({ health }: { health: UseQueryResult<DeviceHealth> }) {
  const { data } = health
  const words = data === undefined ? undefined : humanize(data.state?.label ?? 'unknown')
  return (
    <Figure
      label="Inverter state"
      icon={IconTransform}
      quantity={words === undefined ? undefined : { digits: words, unit: '' }}
    />
  )
}

function DaysToCalibration({ health }: { health: UseQueryResult<DeviceHealth> }) {
  const days = health.data?.battery.days_to_calibration
  const quantity = measure(days === null || days === undefined ? undefined : Math.ceil(days), 'days')
  return (
    <Figure
      label="Next calibration"
      icon={IconCalendarEvent}
      kind="battery"
      quantity={health.data === undefined ? undefined : quantity}
      note="until the battery calibrates"
    />
  )
}

/** All inverters with their states. */
function DeviceList({ devices }: { devices: readonly AdminDevice[] }) {
  return (
    <ul className="device-lines">
      {devices.map((device) => (
        <li key={device.device_id}>
          <span className="device-line-name">
            <Link href={`/inverters/${encodeURIComponent(device.device_id)}`} className="hearth-name">
              {device.display_name}
            </Link>
            <SimulatedBadge device={device} />
          </span>
          <span className="hearth-dimmed">
            last response <RelativeTime value={device.last_success_at} />
          </span>
          <DeviceStateBadge state={device.state} />
        </li>
      ))}
    </ul>
  )
}
