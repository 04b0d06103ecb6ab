import { EmptyState, Section } from '@hearth/ui'
import { NumberInput, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconSolarElectricity } from '@tabler/icons-react'
import type { readDevices } from '../api.ts'
import { nextPort, type SharedPortValues } from './shared-port-values.ts'

type Devices = Awaited<ReturnType<typeof readDevices>>

/** Which inverters are shared, and at which ports. */
export function InverterPorts({ form, devices }: { form: UseFormReturnType<SharedPortValues>; devices: Devices }) {
  const { inverters } = form.getValues()
  const set = (next: SharedPortValues['inverters']) => form.setFieldValue('inverters', next)
  return (
    <Section title="Inverters">
      {devices.length === 0 && (
        <EmptyState icon={IconSolarElectricity} title="No inverter yet">
          Add one on the page Inverters.
        </EmptyState>
      )}
      <ul className="plain-list shared-rows">
        {devices.map(({ device_id: id, display_name: name }) => {
          const index = inverters.findIndex((one) => one.device_id === id)
          const others = inverters.filter((one) => one.device_id !== id)
          return (
            <li key={id} className="shared-inverter">
              <Switch
                label={name}
                checked={index >= 0}
                onChange={({ currentTarget: { checked } }) =>
                  set(checked ? [...inverters, { device_id: id, port: nextPort(inverters) }] : others)
                }
              />
              {index >= 0 && (
                <NumberInput
                  label="Port"
                  aria-label={`Port of ${name}`}
                  clampBehavior="none"
                  hideControls
                  {...form.getInputProps(`inverters.${index}.port`)}
                />
              )}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
