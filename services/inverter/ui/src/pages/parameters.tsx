import { answer, PageHeader, QueryState, useAction } from '@hearth/ui'
import { Button, Group } from '@mantine/core'
import { IconCamera } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import '../approvals/approvals.css'
import { type AdminDevice, api, keys, readSnapshots } from '../api.ts'
import { NoInverter, SimulatedBanner } from '../devices/device-banners.tsx'
import { DeviceSelect, useDevices } from '../devices/device-select.tsx'
import { useAddressParameter } from '../page-elements.tsx'
import { DifferencesSection } from '../parameters/differences-section.tsx'
import { TakeSnapshot } from '../parameters/snapshot-dialogs.tsx'
import { SnapshotProgress } from '../parameters/snapshot-progress.tsx'
import { SnapshotSection } from '../parameters/snapshot-section.tsx'
import { SnapshotSettings } from '../parameters/snapshot-settings.tsx'
import '../parameters/parameters.css'

/** Snapshots of the parameters of an inverter, and what has changed between them. */
export function ParametersPage() {
  const devices = useDevices()
  const { id } = useParams()
  const [, navigate] = useLocation()
  const [isTaking, setTaking] = useState(false)
  const device = devices.data?.find(({ device_id }) => device_id === id) ?? devices.data?.[0]
  return (
    <>
      <PageHeader
        title="Parameters"
        description="Snapshots of what is set on the inverter, what changed between them, and who changed it."
        actions={
          device !== undefined && (
            <Group gap="xs">
              <DeviceSelect
                devices={devices.data ?? []}
                value={device.device_id}
                onChange={(next) => navigate(`/parameters/${encodeURIComponent(next)}`)}
              />
              <Button leftSection={<IconCamera size={16} aria-hidden />} onClick={() => setTaking(true)}>
                Take a snapshot
              </Button>
            </Group>
          )
        }
      />
      {devices.data?.length === 0 ? (
        <NoInverter icon={IconCamera} title="No inverter yet">
          Add an inverter first. Then you can keep its parameters.
        </NoInverter>
      ) : (
        <QueryState query={devices} lines={8} />
      )}
      {device !== undefined && (
        <>
          <SimulatedBanner devices={devices.data ?? []} />
          <ParametersOf key={device.device_id} device={device} isTaking={isTaking} onTaken={() => setTaking(false)} />
        </>
      )}
    </>
  )
}

function ParametersOf(props: { device: AdminDevice; isTaking: boolean; onTaken: () => void }) {
  const { device_id: deviceId } = props.device
  const [, setTo] = useAddressParameter('to')
  const list = useQuery({ queryKey: [...keys.snapshots, deviceId], queryFn: () => readSnapshots(deviceId) })
  const read = useAction<void, { message: string }>({
    run: async () => {
      const params = { path: { device_id: deviceId } }
      await answer(
        api.POST('/admin/api/devices/{device_id}/snapshots', {
          params,
          body: { origin: 'current', name: '', note: '' },
        }),
      )
      return { message: 'The parameters are being read' }
    },
    renew: [keys.snapshots],
    // The newest one is compared, which this becomes.
    onDone: () => setTo(undefined),
  })
  if (list.data === undefined) return <QueryState query={list} lines={8} />
  const isReading = list.data.progress !== null
  return (
    <div className="hearth-stack">
      <SnapshotProgress list={list.data} />
      <DifferencesSection list={list.data} onRead={() => read.mutate()} isReading={isReading || read.isPending} />
      <SnapshotSection list={list.data} />
      <SnapshotSettings key={JSON.stringify(list.data.settings)} settings={list.data.settings} />
      {props.isTaking && <TakeSnapshot list={list.data} onClose={props.onTaken} />}
    </div>
  )
}
