import { PageHeader, QueryState } from '@hearth/ui'
import { IconBatteryAutomotive } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from 'wouter'
import { type AdminDevice, type EnergyDevice, keys, readEnergy } from '../api.ts'
import { ConnectionBanner, NoInverter, SimulatedBanner } from '../devices/device-banners.tsx'
import { DeviceSelect, useDevices } from '../devices/device-select.tsx'
import { CommandCard, ProgramCard } from '../energy/command-card.tsx'
import '../energy/energy.css'
import { ModeCard } from '../energy/mode-card.tsx'
import { OperationCard, StopHistory } from '../energy/operation-card.tsx'
import { ReadingsCard } from '../energy/readings-card.tsx'
import { combined } from '../page-elements.tsx'
import { JournalTable } from '../journal/journal-table.tsx'
import { flowOf } from '../values/energy-flow.ts'
import { useSigns, useValues } from '../values/use-values.ts'

/** Commanding the battery of one inverter. */
export function EnergyPage() {
  const devices = useDevices()
  const energy = useQuery({ queryKey: keys.energy, queryFn: readEnergy })
  const { id } = useParams()
  const [, navigate] = useLocation()
  const device = devices.data?.find(({ device_id }) => device_id === id) ?? devices.data?.[0]
  const own = energy.data?.find(({ device_id }) => device_id === device?.device_id)
  return (
    <>
      <PageHeader
        title="Energy"
        description="Charge, discharge or hold the battery, here or through the API."
        actions={
          device !== undefined && (
            <DeviceSelect
              devices={devices.data ?? []}
              value={device.device_id}
              onChange={(next) => navigate(`/energy/${encodeURIComponent(next)}`)}
            />
          )
        }
      />
      {devices.data?.length === 0 ? (
        <NoInverter icon={IconBatteryAutomotive} title="No inverter yet">
          Add an inverter first, then control its battery here.
        </NoInverter>
      ) : (
        <QueryState query={{ ...combined(devices, energy), data: own }} lines={8} />
      )}
      {device !== undefined && own !== undefined && (
        <EnergyOf key={device.device_id} device={device} devices={devices.data ?? []} energy={own} />
      )}
    </>
  )
}

function EnergyOf(props: { device: AdminDevice; devices: readonly AdminDevice[]; energy: EnergyDevice }) {
  const { device, devices, energy } = props
  const values = useValues(device.device_id)
  const signs = useSigns(device.device_id)
  const flow = values.data === undefined ? undefined : flowOf(values.data, signs)
  const readings = <ReadingsCard device={device} values={values.data} flow={flow} />
  return (
    <>
      <ConnectionBanner device={device} />
      <SimulatedBanner devices={devices} />
      <div className="energy-columns">
        <div className="hearth-stack">
          <ModeCard energy={energy} />
          {energy.mode === 'manual' && <CommandCard energy={energy} />}
          {energy.mode === 'external' && <ProgramCard energy={energy} />}
          {energy.mode !== 'manual' && readings}
        </div>
        <div className="hearth-stack">
          <OperationCard energy={energy} soc={flow?.soc} batteryW={flow?.battery} />
          {energy.mode === 'manual' && readings}
          <StopHistory energy={energy} />
        </div>
      </div>
      <JournalTable deviceId={device.device_id} />
    </>
  )
}
