import { answer, changedValues, PageHeader, QueryState, SettingsForm, type SettingsSection } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { api, keys, readDevices, readSharedPort, type SharedPortView } from '../api.ts'
import { combined } from '../page-elements.tsx'
import { InverterPorts } from '../shared-port/inverter-ports.tsx'
import { Programs } from '../shared-port/programs.tsx'
import { SharedPortStatus } from '../shared-port/shared-port-status.tsx'
import { settingsOf, type SharedPortValues, valuesOf } from '../shared-port/shared-port-values.ts'
import '../prometheus/prometheus.css'
import '../shared-port/shared-port.css'

/** Settings and state of the ports at which other programs reach the inverters. */
export function SharedPortPage() {
  const sharedPort = useQuery({ queryKey: keys.sharedPort, queryFn: readSharedPort, refetchInterval: 5000 })
  const devices = useQuery({ queryKey: keys.devices, queryFn: readDevices })
  const view = sharedPort.data
  return (
    <>
      <PageHeader
        title="Shared port"
        description="Other programs reach the inverter through Hearth, as if it were the inverter. One request at a time goes out, so they no longer disturb each other."
      />
      <QueryState query={combined(sharedPort, devices)} lines={8} />
      {view !== undefined && devices.data !== undefined && (
        <SharedPortForm key={JSON.stringify(view.settings)} view={view} devices={devices.data} />
      )}
    </>
  )
}

const sections: readonly SettingsSection<SharedPortValues>[] = [
  {
    title: 'Port',
    fields: [
      { name: 'enabled', kind: 'switch', label: 'Let other programs reach the inverter through Hearth' },
      {
        name: 'bind_address',
        kind: 'text',
        label: 'Address to listen at',
        description: '0.0.0.0 for all IPv4 addresses of this host, :: for all of both kinds',
      },
      {
        name: 'cache_seconds',
        kind: 'number',
        label: 'Share readings for',
        suffix: ' s',
        description: '0 to 60 seconds. A value that one program has just read is not read again for the next.',
      },
    ],
  },
]

type Devices = Awaited<ReturnType<typeof readDevices>>

function SharedPortForm({ view, devices }: { view: SharedPortView; devices: Devices }) {
  const initialValues = valuesOf(view)
  const form = useForm<SharedPortValues>({ initialValues })
  const values = form.getValues()
  const save = async () => {
    await answer(api.PUT('/admin/api/shared-port', { body: settingsOf(values) }))
    return { message: 'Shared port saved' }
  }
  return (
    <div className="scraper-columns">
      <SettingsForm
        form={form}
        changes={changedValues(values, initialValues)}
        save={save}
        renew={[keys.sharedPort]}
        sections={sections}
      >
        <SharedPortStatus view={view} />
      </SettingsForm>
      <div className="hearth-stack">
        <InverterPorts form={form} devices={devices} />
        <Programs form={form} />
      </div>
    </div>
  )
}
