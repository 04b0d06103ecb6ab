import { EmptyState, PageHeader, QueryState } from '@hearth/ui'
import { Button, Group, Tabs } from '@mantine/core'
import { IconPlus, IconSolarElectricity } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation, useParams, useSearchParams } from 'wouter'
import type { AdminDevice } from '../api.ts'
import { ParameterTable } from '../approvals/parameter-table.tsx'
import { SimulatedBanner } from '../devices/device-banners.tsx'
import { DeviceCards } from '../devices/device-cards.tsx'
import { DeviceDetail } from '../devices/device-detail.tsx'
import { AddDevice, EditDevice, RemoveDevice } from '../devices/device-dialogs.tsx'
import { useDevices } from '../devices/device-select.tsx'
import { FindInverters } from '../devices/find-inverters.tsx'
import '../devices/devices.css'
import { PlantSection } from '../plant/plant-form.tsx'
import { WriteAccess } from '../devices/write-access.tsx'

interface OpenDialog {
  kind: 'edit' | 'remove'
  device: AdminDevice
}

/** Inverters, and what may be read and written on them. */
export function InvertersPage() {
  const devices = useDevices()
  const { id } = useParams()
  const [dialog, setDialog] = useState<OpenDialog>()
  const [, navigate] = useLocation()
  const close = () => setDialog(undefined)
  if (devices.data === undefined)
    return (
      <>
        <PageHeader title="Inverters" />
        <QueryState query={devices} lines={6} />
      </>
    )
  const device = devices.data.find(({ device_id }) => device_id === id)
  return (
    <>
      {id === undefined && <Overview devices={devices.data} onOpen={setDialog} />}
      {id !== undefined && device === undefined && (
        <EmptyState
          icon={IconSolarElectricity}
          title="Inverter not found"
          heading="h1"
          action={<Button onClick={() => navigate('/inverters')}>All inverters</Button>}
        >
          It may have been removed.
        </EmptyState>
      )}
      {device !== undefined && (
        <DeviceDetail device={device} devices={devices.data} onOpen={(kind) => setDialog({ kind, device })} />
      )}
      {dialog?.kind === 'edit' && <EditDevice device={dialog.device} onClose={close} />}
      {dialog?.kind === 'remove' && (
        <RemoveDevice device={dialog.device} onClose={close} onRemoved={() => navigate('/inverters')} />
      )}
    </>
  )
}

function Overview({ devices, onOpen }: { devices: AdminDevice[]; onOpen: (dialog: OpenDialog) => void }) {
  const [params, setParams] = useSearchParams()
  const [, navigate] = useLocation()
  const tab = params.get('tab') === 'metrics' ? 'metrics' : 'devices'
  const setAdding = (isOpen: boolean) => setParams(isOpen ? { add: '1' } : {}, { replace: true })
  const button = (
    <Group gap="xs" justify="center">
      <FindInverters
        onAdd={({ address, port }) => setParams({ add: '1', host: address, port: String(port) }, { replace: true })}
      />
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
        Add inverter
      </Button>
    </Group>
  )
  return (
    <>
      <PageHeader
        title="Inverters"
        description="Connections, write access and metrics."
        actions={tab === 'devices' && devices.length > 0 && button}
      />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => setParams(next === 'metrics' ? { tab: 'metrics' } : {}, { replace: true })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="devices">Devices</Tabs.Tab>
          <Tabs.Tab value="metrics">Metrics and actions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="devices" className="hearth-stack">
          <SimulatedBanner devices={devices} />
          {devices.length === 0 ? (
            <EmptyState icon={IconSolarElectricity} title="No inverter yet" action={button}>
              Search your network for it, or add it by its network address; the default port is 8899.
            </EmptyState>
          ) : (
            <DeviceCards devices={devices} onOpen={(kind, device) => onOpen({ kind, device })} />
          )}
          <PlantSection devices={devices} />
          <WriteAccess />
        </Tabs.Panel>
        <Tabs.Panel value="metrics">
          <ParameterTable devices={devices} />
        </Tabs.Panel>
      </Tabs>
      {params.has('add') && (
        <AddDevice
          address={{
            host: params.get('host') ?? '',
            port: Number(params.get('port') ?? 8899),
            network_id: params.get('network_id') ?? '',
          }}
          onClose={() => setAdding(false)}
          onAdded={(device) => navigate(`/inverters/${encodeURIComponent(device.device_id)}`)}
        />
      )}
    </>
  )
}
