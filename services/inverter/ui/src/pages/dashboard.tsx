import {
  ConfirmDelete,
  ErrorState,
  LoadingLines,
  PageHeader,
  QueryState,
  useConnection,
  answer,
  useAction,
} from '@hearth/ui'
import { Button, Group, Menu } from '@mantine/core'
import { IconEye, IconLayoutDashboard, IconRestore, IconSolarElectricity } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useDeferredValue, useState } from 'react'
import { type AdminDevice, keys, api, type DashboardLayout, plantId, type PlantSettings } from '../api.ts'
import '../dashboard/battery.css'
import '../dashboard/dashboard.css'
import '../dashboard/flow.css'
import { arrange, type PlacedWidget, show } from '../dashboard/grid-placement.ts'
import { Grid } from '../dashboard/grid.tsx'
import { defaultLayout, widgets as plans } from '../dashboard/widgets.ts'
import { ConnectionBanner, NoInverter, SimulatedBanner } from '../devices/device-banners.tsx'
import { DeviceSelect, plantOf, useChosenDevice, useDevices, usePlantSettings } from '../devices/device-select.tsx'
import { flowOf } from '../values/energy-flow.ts'
import { useSigns, useValues } from '../values/use-values.ts'
import { combined, IconButton, useAddressParameter } from '../page-elements.tsx'

/** Loaded where several inverters are one plant. */
const PlantDashboard = lazy(async () => ({ default: (await import('../plant/plant-dashboard.tsx')).PlantDashboard }))

/** Overview of the energy flow, batteries and inverters. */
export function DashboardPage() {
  const devices = useDevices()
  /** The saved layout; `null` for the default one. */
  const layout = useQuery({
    queryKey: keys.layout,
    queryFn: async () => (await answer(api.GET('/admin/api/dashboard-layout'))).layout,
  })
  const settings = usePlantSettings()
  const plant = plantOf(settings.data)
  const [wanted, choose] = useAddressParameter('device')
  const both = combined(devices, layout, settings)
  const isWhole = plant !== undefined && (wanted === null || wanted === plantId)
  if (isWhole && devices.data !== undefined)
    return (
      <Suspense fallback={<LoadingLines lines={8} />}>
        <PlantDashboard devices={devices.data} plant={plant} onChoose={choose} />
      </Suspense>
    )
  if (both.data !== undefined && devices.data?.[0] !== undefined)
    return <Dashboard devices={devices.data} plant={plant} saved={layout.data?.widgets} />
  return (
    <>
      <PageHeader title="Dashboard" />
      <QueryState query={both} lines={8} />
      {both.data !== undefined && (
        <NoInverter icon={IconSolarElectricity} title="Connect the first inverter">
          You need its network address; the default port is 8899.
        </NoInverter>
      )}
    </>
  )
}

function Dashboard(props: {
  devices: AdminDevice[]
  plant: PlantSettings | undefined
  saved: PlacedWidget[] | undefined
}) {
  const { devices, plant, saved } = props
  const [device, choose] = useChosenDevice(devices)
  const [draft, setDraft] = useState<PlacedWidget[]>()
  const values = useValues(device?.device_id)
  const signs = useSigns(device?.device_id)
  // Many widgets with many values: React renders them in slices, so that a tap meanwhile is answered at once.
  const isStarted = useDeferredValue(true, false)
  const shownValues = useDeferredValue(values.data)
  const flow = shownValues === undefined ? undefined : flowOf(shownValues, signs)
  const health = useQuery({
    queryKey: [...keys.health, device?.device_id],
    enabled: device !== undefined,
    queryFn: () =>
      answer(
        api.GET('/api/v1/devices/{device_id}/health', { params: { path: { device_id: device?.device_id ?? '' } } }),
      ),
  })
  const connection = useConnection()
  const widgets = draft ?? arrange(saved, defaultLayout)
  if (device === undefined) return null
  return (
    <>
      <PageHeader
        title="Dashboard"
        actions={
          <>
            <DeviceSelect devices={devices} plant={plant} value={device.device_id} onChange={choose} />
            {draft === undefined ? (
              <IconButton icon={IconLayoutDashboard} onClick={() => setDraft(widgets)}>
                Edit layout
              </IconButton>
            ) : (
              <EditBar draft={draft} setDraft={setDraft} isSaved={saved !== undefined} />
            )}
          </>
        }
      />
      <ConnectionBanner device={device} />
      <SimulatedBanner devices={devices} />
      {values.error !== null && values.data === undefined && (
        <ErrorState error={values.error} onRetry={() => void values.refetch()} />
      )}
      <div data-lost={connection === 'reconnecting' || undefined} className="dashboard">
        <Grid
          widgets={isStarted ? widgets : []}
          data={{ device, devices, values: shownValues, flow, health }}
          onChange={draft === undefined ? undefined : setDraft}
        />
      </div>
    </>
  )
}

function EditBar(props: {
  draft: PlacedWidget[]
  setDraft: (draft: PlacedWidget[] | undefined) => void
  isSaved: boolean
}) {
  const { draft, setDraft, isSaved } = props
  const [isResetting, setResetting] = useState(false)
  const done = () => setDraft(undefined)
  const cache = useQueryClient()
  const save = useAction<PlacedWidget[], { layout: DashboardLayout | null }>({
    run: (widgets) => answer(api.PUT('/admin/api/dashboard-layout', { body: { version: 1, widgets } })),
    done: () => 'Dashboard saved',
    onDone: ({ layout }) => {
      cache.setQueryData(keys.layout, layout)
      done()
    },
  })
  const hidden = draft.filter((widget) => !widget.visible)
  return (
    <Group gap={8}>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconEye size={16} aria-hidden />} disabled={hidden.length === 0}>
            Hidden ({hidden.length})
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {hidden.map(({ id }) => (
            <Menu.Item key={id} onClick={() => setDraft(show(draft, id, true))}>
              Show {plans[id].title}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <IconButton
        icon={IconRestore}
        onClick={() => (isSaved ? setResetting(true) : setDraft(arrange(undefined, defaultLayout)))}
      >
        Reset
      </IconButton>
      <Button variant="default" onClick={done}>
        Cancel
      </Button>
      <Button loading={save.isPending} onClick={() => save.mutate(draft)}>
        Save
      </Button>
      <ConfirmDelete
        opened={isResetting}
        onClose={() => setResetting(false)}
        title="Reset the dashboard?"
        losses={['Widget positions and sizes', 'Which widgets are shown']}
        verb="Reset dashboard"
        action={{
          run: () => answer(api.DELETE('/admin/api/dashboard-layout')),
          done: () => 'Default layout restored',
          renew: [keys.layout],
          onDone: done,
        }}
      />
    </Group>
  )
}
