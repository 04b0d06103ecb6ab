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
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type AdminDevice, type DeviceHealth, keys, readParameters } from '../api.ts'
import { DeviceStateBadge, SimulatedBadge } from '../devices/device-badges.tsx'
import { batteryLabel, type EnergyFlow, gridLabel } from '../values/energy-flow.ts'
import { numberOf, type ValueMap } from '../values/live-value.ts'
import { PylonIcon } from '../values/pylon-icon.tsx'
import { humanize, measure, percent, power } from '../values/quantity.ts'
import { BatteryCard } from './battery-card.tsx'
import { ControlCard } from './control-card.tsx'
import { EnergyToday } from './energy-today.tsx'
import { Figure, type FigureProps, useStaleness } from './figure.tsx'
import { FlowCard } from './flow-card.tsx'
import type { PlacedWidget } from './grid-placement.ts'
import { HealthCard } from './health-card.tsx'
import { widgets } from './widgets.ts'

/** Everything widgets show. */
export interface WidgetData {
  device: AdminDevice
  devices: readonly AdminDevice[]
  values: ValueMap | undefined
  /** Energy flow; undefined before values have arrived. */
  flow: EnergyFlow | undefined
  health: UseQueryResult<DeviceHealth>
}

type WidgetId = PlacedWidget['id']

/** The widgets with a heading. */
const cards = {
  'energy-flow': ({ values, flow }) => <FlowCard values={values} flow={flow} />,
  battery: ({ values, flow, health }) => <BatteryCard values={values} flow={flow} health={health.data} />,
  health: ({ health }) => <HealthCard health={health} />,
  'energy-today': ({ values }) => <EnergyToday values={values} />,
  devices: ({ devices }) => <DeviceList devices={devices} />,
  dispatch: ({ device }) => <ControlCard device={device} />,
} satisfies Partial<Record<WidgetId, (data: WidgetData) => ReactNode>>

const isCard = (id: WidgetId): id is keyof typeof cards => id in cards

/** A widget that is one number. */
interface FigureWidget extends Pick<FigureProps, 'icon' | 'kind'> {
  /** The title of the widget when left out. */
  label?: string
  /** The metrics behind the number; the figure is stale when one of them is. */
  metrics?: readonly string[]
  pace?: 'flow' | 'slow'
  show: (data: WidgetData) => Pick<FigureProps, 'quantity' | 'note'>
}

const figures: Record<Exclude<WidgetId, keyof typeof cards | 'metric-count'>, FigureWidget> = {
  'pv-power': {
    icon: IconSolarPanel2,
    kind: 'solar',
    metrics: ['solar_a_power', 'solar_b_power'],
    show: ({ flow }) => ({ quantity: flow && power(flow.solar), note: flow && 'produced now' }),
  },
  'house-power': {
    icon: IconHome,
    kind: 'house',
    metrics: ['household_load_power'],
    show: ({ flow }) => ({ quantity: flow && power(flow.house), note: flow && 'used now' }),
  },
  'grid-power': {
    icon: PylonIcon,
    kind: 'grid',
    metrics: ['grid_power'],
    show: ({ flow }) => ({ quantity: flow && power(flow.grid), note: flow && gridLabel(flow.grid) }),
  },
  'battery-power': {
    label: 'Battery',
    icon: IconBattery3,
    kind: 'battery',
    metrics: ['battery_power'],
    show: ({ flow }) => ({ quantity: flow && power(flow.battery), note: flow && batteryLabel(flow.battery) }),
  },
  'battery-soc': {
    icon: IconPercentage,
    kind: 'battery',
    metrics: ['battery_soc'],
    show: ({ flow }) => ({ quantity: flow && percent(flow.soc) }),
  },
  'battery-temperature': {
    icon: IconTemperature,
    kind: 'battery',
    metrics: ['battery_temperature'],
    pace: 'slow',
    show: ({ values }) => ({ quantity: values && measure(numberOf(values, 'battery_temperature'), '°C', 1) }),
  },
  'days-to-calibration': {
    icon: IconCalendarEvent,
    kind: 'battery',
    show({ health: { data } }) {
      const days = data?.battery.days_to_calibration ?? undefined
      const quantity = data && measure(days === undefined ? undefined : Math.ceil(days), 'days')
      return { quantity, note: 'until the battery calibrates' }
    },
  },
  'inverter-state': {
    icon: IconTransform,
    show: ({ health: { data } }) => ({
      quantity: data && { digits: humanize(data.state?.label ?? 'unknown'), unit: '' },
    }),
  },
  'device-count': { icon: IconSolarElectricity, show: ({ devices }) => ({ quantity: measure(devices.length, '') }) },
  'connected-count': {
    icon: IconPlugConnected,
    show: ({ devices }) => ({
      quantity: measure(devices.filter(({ state }) => state === 'ok' || state === 'degraded').length, ''),
      note: `of ${devices.length}`,
    }),
  },
}

/** True for widgets that are one number and have no heading of their own. */
export const isFigure = (id: WidgetId): boolean => !isCard(id)

/** Content of a widget. */
export function WidgetContent({ id, data }: { id: WidgetId; data: WidgetData }) {
  if (id === 'metric-count') return <MetricCount />
  return isCard(id) ? cards[id](data) : <FigureContent label={widgets[id].title} {...figures[id]} data={data} />
}

function FigureContent(props: FigureWidget & { label: string; data: WidgetData }) {
  const { metrics = [], pace, show, data, ...look } = props
  const stale = useStaleness(
    metrics.map((name) => data.values?.[name]),
    pace,
  )
  return <Figure {...look} {...show(data)} stale={stale} />
}

function MetricCount() {
  const { data } = useQuery({ queryKey: keys.parameters, queryFn: readParameters })
  return (
    <Figure
      label={widgets['metric-count'].title}
      icon={IconListNumbers}
      quantity={data && measure(data.filter(({ exposed }) => exposed).length, '')}
      note={data && `of ${data.length} in the catalog`}
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
