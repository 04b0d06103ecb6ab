import { ErrorState, PageHeader, QueryState, RelativeTime, Section, StatusBadge } from '@hearth/ui'
import { IconBattery3, IconHome, IconMoon, IconSolarPanel2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import {
  type AdminDevice,
  keys,
  plantId,
  readHistory,
  readHistoryView,
  readPlant,
  type PlantNow,
  type PlantSettings,
} from '../api.ts'
import { Figure } from '../dashboard/figure.tsx'
import { FlowView } from '../dashboard/flow-card.tsx'
import '../dashboard/flow.css'
import { DeviceStateBadge } from '../devices/device-badges.tsx'
import { SimulatedBanner } from '../devices/device-banners.tsx'
import { DeviceSelect } from '../devices/device-select.tsx'
import { BalanceFigures } from '../history/balance-figures.tsx'
import '../history/history.css'
import { dateIn } from '../history/periods.ts'
import { Facts, Notice } from '../page-elements.tsx'
import { batteryLabel, gridLabel } from '../values/energy-flow.ts'
import { PylonIcon } from '../values/pylon-icon.tsx'
import { power } from '../values/quantity.ts'
import './plant.css'
import { contentText, inverterText, missingText, plantFlow, socText, unknownText } from './plant-texts.ts'

/** How often the plant is read again, milliseconds. */
const everyMs = 5000

/** All inverters of the plant together: flow, batteries, the day so far, and each inverter. */
export function PlantDashboard(props: {
  devices: readonly AdminDevice[]
  plant: PlantSettings
  onChoose: (id: string) => void
}) {
  const { devices, plant, onChoose } = props
  const reading = useQuery({ queryKey: [...keys.plant, 'now'], queryFn: readPlant, refetchInterval: everyMs })
  const now = reading.data
  const missing = now && missingText(now)
  return (
    <>
      <PageHeader
        title="Dashboard"
        actions={<DeviceSelect devices={devices} plant={plant} value={plantId} onChange={onChoose} />}
      />
      <SimulatedBanner devices={devices} />
      {now === undefined && <QueryState query={reading} lines={8} />}
      {reading.error !== null && now !== undefined && (
        <ErrorState error={reading.error} onRetry={() => void reading.refetch()} />
      )}
      {missing !== undefined && <Notice mb={16}>{missing}</Notice>}
      {now !== undefined && (
        <div className="hearth-stack">
          <div className="history-columns">
            <Section title={now.display_name || 'Plant'}>
              <FlowView flow={plantFlow(now)} />
            </Section>
            <div className="hearth-stack">
              <PlantFigures now={now} />
              <Section title="Inverters">
                <InverterList now={now} />
              </Section>
            </div>
          </div>
          <Today />
        </div>
      )}
    </>
  )
}

function PlantFigures({ now }: { now: PlantNow }) {
  const { solar, house, battery, grid } = plantFlow(now)
  const unknown = unknownText(now)
  const part = `${now.inverters.length - now.away.length} of ${now.inverters.length} inverters`
  const noteOf = (watts: number | undefined, note: string) => (watts === undefined ? part : note)
  return (
    <Section title="Now">
      <div className="plant-figures">
        <Figure
          label="Solar"
          icon={IconSolarPanel2}
          kind="solar"
          quantity={power(solar)}
          note={noteOf(solar, 'produced')}
        />
        <Figure label="House" icon={IconHome} kind="house" quantity={power(house)} note={noteOf(house, 'used')} />
        <Figure label="Grid" icon={PylonIcon} kind="grid" quantity={power(grid)} note={noteOf(grid, gridLabel(grid))} />
        <Figure
          label="Batteries"
          icon={IconBattery3}
          kind="battery"
          quantity={power(battery)}
          note={noteOf(battery, batteryLabel(battery))}
        />
      </div>
      <Facts
        facts={[
          ['State of charge', socText(now)],
          ['Stored', contentText(now)],
        ]}
      />
      {unknown !== undefined && <p className="hearth-dimmed plant-unknown">{unknown}</p>}
    </Section>
  )
}

function InverterList({ now }: { now: PlantNow }) {
  return (
    <ul className="plain-list plant-inverters">
      {now.inverters.map((inverter) => (
        <li key={inverter.device_id}>
          <div className="plant-inverter-head">
            <Link href={`/inverters/${encodeURIComponent(inverter.device_id)}`} className="hearth-name">
              {inverter.display_name}
            </Link>
            {inverter.is_off_for_night ? (
              <StatusBadge tone="quiet" icon={IconMoon}>
                Off for the night
              </StatusBadge>
            ) : (
              <DeviceStateBadge state={inverter.state} />
            )}
          </div>
          <span>{inverterText(inverter)}</span>
          <span className="hearth-dimmed">
            {inverter.device_id === now.grid_meter ? 'Measures the grid connection, last' : 'Last'} response{' '}
            <RelativeTime value={inverter.last_success_at} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The balance of the day so far. */
function Today() {
  const view = useQuery({ queryKey: [...keys.history, 'settings'], queryFn: readHistoryView })
  const zone = view.data?.time_zone
  const history = useQuery({
    queryKey: [...keys.history, plantId, 'today', zone],
    queryFn: () => readHistory(plantId, { period: 'day', date: dateIn(zone ?? 'UTC', new Date()) }),
    enabled: zone !== undefined,
  })
  if (history.data === undefined || history.data.balance.known === 0) return null
  return (
    <Section
      title="Today"
      actions={
        <Link href={`/history/${plantId}`} className="hearth-link">
          History
        </Link>
      }
    >
      <BalanceFigures balance={history.data.balance} />
    </Section>
  )
}
