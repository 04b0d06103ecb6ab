import { answer, Section, useAction } from '@hearth/ui'
import { Button, Checkbox, Group, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type AdminDevice, api, keys, type PlantSettings } from '../api.ts'
import { usePlantSettings } from '../devices/device-select.tsx'
import './plant.css'

/** Which inverters are one plant, and whose sensor sees the grid connection. Nothing while there is only one inverter. */
export function PlantSection({ devices }: { devices: readonly AdminDevice[] }) {
  const settings = usePlantSettings()
  if (settings.data === undefined || (devices.length < 2 && !settings.data.enabled)) return null
  return <PlantForm key={JSON.stringify(settings.data)} devices={devices} stored={settings.data} />
}

/** The settings before the first ones: all inverters, with the sensor of the first. */
function suggested(devices: readonly AdminDevice[], stored: PlantSettings): PlantSettings {
  if (stored.inverters.length > 0) return stored
  return { ...stored, inverters: devices.map(({ device_id }, index) => ({ device_id, sees_grid: index === 0 })) }
}

function PlantForm({ devices, stored }: { devices: readonly AdminDevice[]; stored: PlantSettings }) {
  const [values, setValues] = useState(suggested(devices, stored))
  const save = useAction<PlantSettings, { message: string }>({
    run: async (body) => {
      await answer(api.PUT('/admin/api/plant', { body }))
      return { message: body.enabled ? 'The plant is set up' : 'The inverters are no plant' }
    },
    renew: [keys.plant, keys.history, keys.plans],
  })
  const change = (id: string, next: { isPart: boolean; seesGrid: boolean }) => {
    const others = values.inverters.filter(({ device_id }) => device_id !== id)
    const all = next.isPart ? [...others, { device_id: id, sees_grid: next.seesGrid }] : others
    // In the order of the inverters: the first one whose sensor sees the grid counts.
    const order = devices.map(({ device_id }) => device_id)
    const inverters = all.toSorted((a, b) => order.indexOf(a.device_id) - order.indexOf(b.device_id))
    setValues({ ...values, inverters })
  }
  return (
    <Section title="Plant">
      <form
        className="hearth-stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(values)
        }}
      >
        <Text className="hearth-dimmed section-lead">
          Several inverters behind one grid connection are one plant: dashboard, history and plan show them together.
          Say whose power sensor measures the grid connection of the house, so that it is counted once.
        </Text>
        <Switch
          label="Show these inverters as one plant"
          checked={values.enabled}
          onChange={(event) => setValues({ ...values, enabled: event.currentTarget.checked })}
        />
        <TextInput
          label="Name"
          maxLength={64}
          value={values.display_name}
          onChange={(event) => setValues({ ...values, display_name: event.currentTarget.value })}
        />
        <ul className="plain-list plant-members">
          {devices.map((device) => (
            <MemberRow key={device.device_id} device={device} values={values} onChange={change} />
          ))}
        </ul>
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            Save plant
          </Button>
        </Group>
      </form>
    </Section>
  )
}

function MemberRow(props: {
  device: AdminDevice
  values: PlantSettings
  onChange: (id: string, next: { isPart: boolean; seesGrid: boolean }) => void
}) {
  const { device, values, onChange } = props
  const { device_id: id, display_name: name } = device
  const member = values.inverters.find(({ device_id }) => device_id === id)
  return (
    <li>
      <b>{name}</b>
      <Checkbox
        label="Part of the plant"
        aria-label={`${name} is part of the plant`}
        checked={member !== undefined}
        onChange={(event) => onChange(id, { isPart: event.currentTarget.checked, seesGrid: false })}
      />
      <Checkbox
        label="Its sensor sees the grid connection"
        aria-label={`The sensor of ${name} sees the grid connection`}
        checked={member?.sees_grid ?? false}
        disabled={member === undefined}
        onChange={(event) => onChange(id, { isPart: true, seesGrid: event.currentTarget.checked })}
      />
    </li>
  )
}
