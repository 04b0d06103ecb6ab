import { Accordion, Group, NumberInput, Switch, TextInput } from '@mantine/core'
import { answer, ConfirmDelete, FormDialog } from '@hearth/ui'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type AdminDevice, api, keys } from '../api.ts'
import { Notice } from '../page-elements.tsx'
import { ConnectionCheck } from './connection-check.tsx'
import {
  changesAddress,
  deviceValues,
  type DeviceValues,
  newDeviceValues,
  proposedId,
  toConnectionTest,
  toDeviceChange,
  toDeviceCreate,
} from './device-values.ts'

type DeviceForm = UseFormReturnType<DeviceValues>
const renewed = [keys.devices]

/** Adds an inverter. */
export function AddDevice(props: {
  address: Pick<DeviceValues, 'host' | 'port' | 'network_id'>
  onClose: () => void
  onAdded: (device: AdminDevice) => void
}) {
  const { address, onClose, onAdded } = props
  const form = useForm<DeviceValues>({
    initialValues: { ...newDeviceValues, ...address },
    validate: {
      device_id: (id) => (id.trim() === '' ? 'Enter an ID' : null),
      host: (host) => (host.trim() === '' ? 'Enter a host name or IP address' : null),
    },
  })
  const setName = (name: string) => {
    const before = form.getValues()
    if (before.device_id === proposedId(before.display_name)) form.setFieldValue('device_id', proposedId(name))
    form.setFieldValue('display_name', name)
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add inverter"
      submitLabel="Add inverter"
      form={form}
      submit={(values) => answer(api.POST('/admin/api/devices', { body: toDeviceCreate(values) }))}
      renew={renewed}
      onDone={onAdded}
    >
      <TextInput
        label="Name"
        description="Display name, such as “Roof south”. Optional."
        maxLength={64}
        data-autofocus
        {...form.getInputProps('display_name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="ID"
        description="Used in API paths; cannot be changed later. Letters, digits, dots and hyphens."
        maxLength={64}
        required
        {...form.getInputProps('device_id')}
      />
      <AddressFields form={form} />
      <MoreFields form={form} />
    </FormDialog>
  )
}

/** Changes an inverter; its short name stays. */
export function EditDevice({ device, onClose }: { device: AdminDevice; onClose: () => void }) {
  const form = useForm<DeviceValues>({ initialValues: deviceValues(device) })
  const submit = async (values: DeviceValues) => {
    const body = toDeviceChange(values, device)
    if (body === undefined) return { message: 'No changes' }
    const params = { path: { device_id: device.device_id } }
    await answer(api.PATCH('/admin/api/devices/{device_id}', { params, body }))
    return { message: 'Inverter changed' }
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Edit ${device.display_name}`}
      submitLabel="Save"
      form={form}
      submit={submit}
      renew={renewed}
    >
      <TextInput label="Name" maxLength={64} data-autofocus {...form.getInputProps('display_name')} />
      {!device.is_simulated && <AddressFields form={form} />}
      {changesAddress(form.getValues(), device) && (
        <Notice icon={IconAlertTriangle}>
          A new address may be another inverter: a running operation is stopped first, and capabilities, engineering
          mode and battery control are reset.
        </Notice>
      )}
      <MoreFields form={form} />
    </FormDialog>
  )
}

function AddressFields({ form }: { form: DeviceForm }) {
  return (
    <>
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <TextInput
          label="Address"
          description="Host name or IP address"
          placeholder="192.168.1.50"
          autoCapitalize="none"
          required
          {...form.getInputProps('host')}
        />
        <NumberInput
          label="Port"
          description="Usually 8899"
          min={1}
          max={65_535}
          hideControls
          className="port-input"
          {...form.getInputProps('port')}
        />
      </Group>
      <ConnectionCheck
        address={() => toConnectionTest(form.getValues())}
        disabled={form.getValues().host.trim() === ''}
      />
    </>
  )
}

function MoreFields({ form }: { form: DeviceForm }) {
  return (
    <Accordion
      variant="contained"
      chevronPosition="left"
      order={3}
      defaultValue={form.getValues().network_id === '' ? null : 'more'}
    >
      <Accordion.Item value="more">
        <Accordion.Control>Advanced</Accordion.Control>
        <Accordion.Panel>
          <div className="hearth-stack">
            <NumberInput
              label="Network id"
              description="Only for an inverter that is reached through another one: its address in the plant. Leave empty for the inverter with the network connection."
              min={0}
              max={4_294_967_295}
              allowDecimal={false}
              hideControls
              {...form.getInputProps('network_id')}
            />
            <NumberInput
              label="Pause between requests"
              description="0 to 5000 ms. Increase it when other clients use the same inverter."
              suffix=" ms"
              min={0}
              max={5000}
              {...form.getInputProps('request_gap_ms')}
            />
            <Switch
              label="Periodic reads"
              description="The inverter sends values by itself: fewer requests, fresher values. Turn off if the firmware does not answer them."
              {...form.getInputProps('periodic_reads', { type: 'checkbox' })}
            />
          </div>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}

/** Confirms the removal of an inverter. */
export function RemoveDevice(props: { device: AdminDevice; onClose: () => void; onRemoved: () => void }) {
  const { device, onClose, onRemoved } = props
  const params = { path: { device_id: device.device_id } }
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Remove ${device.display_name}?`}
      losses={[
        'Its connection and its current values',
        'Its energy history',
        'Power limits, verified capabilities and the battery control mode',
        'API clients that use its ID get an error from then on',
        'A running operation is stopped and the settings are restored first',
      ]}
      verb="Remove inverter"
      action={{
        run: () => answer(api.DELETE('/admin/api/devices/{device_id}', { params })),
        renew: renewed,
        onDone: onRemoved,
      }}
    />
  )
}
