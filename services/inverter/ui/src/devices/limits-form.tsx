import { Button, Group, NumberInput, Switch, Text } from '@mantine/core'
import { answer, applyFieldProblems, Problem, Section, StatusBadge, useAction } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconFlask } from '@tabler/icons-react'
import { useState } from 'react'
import { type AdminDevice, api, keys, type Schemas } from '../api.ts'
import { Notice } from '../page-elements.tsx'

type LimitValues = Record<'max_charge_power_w' | 'max_discharge_power_w', number | string>

const limits = [
  { name: 'max_charge_power_w', label: 'Maximum charge power' },
  { name: 'max_discharge_power_w', label: 'Maximum discharge power' },
] as const

const limitOf = (value: number | string) => (value === '' ? null : Number(value))

const changeDispatch = ({ device_id }: AdminDevice, body: Schemas['DispatchDeviceChange']) =>
  answer(api.PUT('/admin/api/dispatch/devices/{device_id}', { params: { path: { device_id } }, body }))

/** Power limits of commands. */
export function LimitsForm({ device }: { device: AdminDevice }) {
  const [problem, setProblem] = useState<string>()
  const form = useForm<LimitValues>({
    initialValues: {
      max_charge_power_w: device.max_charge_power_w ?? '',
      max_discharge_power_w: device.max_discharge_power_w ?? '',
    },
  })
  const save = useAction<LimitValues, AdminDevice>({
    run: ({ max_charge_power_w: charge, max_discharge_power_w: discharge }) =>
      changeDispatch(device, { max_charge_power_w: limitOf(charge), max_discharge_power_w: limitOf(discharge) }),
    done: () => 'Power limits saved',
    renew: [keys.devices, keys.energy],
    onDone: (_, values) => form.resetDirty(values),
    onProblem: (error) => setProblem(applyFieldProblems(form, error) ?? undefined),
  })
  const submit = form.onSubmit((values) => {
    setProblem(undefined)
    save.mutate(values)
  })
  return (
    <Section title="Power limits">
      <form onSubmit={submit} noValidate className="hearth-stack">
        <Text className="hearth-dimmed">
          Commands never exceed these limits. Use the rating of the battery or the inverter, whichever is lower. Without
          a limit the battery cannot be controlled.
        </Text>
        <Problem text={problem} />
        <Group grow align="flex-start">
          {limits.map(({ name, label }) => (
            <NumberInput
              key={name}
              label={label}
              suffix=" W"
              min={1}
              max={50_000}
              step={100}
              thousandSeparator=","
              clampBehavior="none"
              {...form.getInputProps(name)}
            />
          ))}
        </Group>
        <Group justify="flex-end">
          <Button type="submit" disabled={!form.isDirty()} loading={save.isPending}>
            Save limits
          </Button>
        </Group>
      </form>
    </Section>
  )
}

/** Switch that allows commands although not everything is verified, with shorter operations. */
export function EngineeringMode({ device }: { device: AdminDevice }) {
  const change = useAction<boolean, AdminDevice>({
    run: (engineering_mode) => changeDispatch(device, { engineering_mode }),
    done: ({ engineering_mode: isOn }) => (isOn ? 'Engineering mode is on' : 'Engineering mode is off'),
    renew: [keys.devices, keys.energy],
  })
  return (
    <Section
      title="Engineering mode"
      actions={
        device.engineering_mode && (
          <StatusBadge tone="warn" icon={IconFlask}>
            On
          </StatusBadge>
        )
      }
    >
      <div className="hearth-stack">
        <Switch
          label="Allow commands before everything is verified"
          description="For testing the capabilities below. Each operation ends after 30 minutes at the latest."
          checked={device.engineering_mode}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
        {device.engineering_mode && (
          <Notice mb={0}>
            Stay near the inverter and watch its display: with a wrong sign the battery charges when it should
            discharge. Turn this off when the capabilities are verified.
          </Notice>
        )}
      </div>
    </Section>
  )
}
