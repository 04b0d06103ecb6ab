import { NativeSelect, TextInput } from '@mantine/core'
import { answer, FormDialog, formatCount } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { type AdminDevice, api, keys, type Schemas } from '../api.ts'
import { capabilityPlans } from './capability-texts.ts'

type CopyValues = Schemas['CapabilityCopy'] & Record<string, unknown>

/** Takes over what was verified on another inverter of the same model and firmware. */
export function CopyCapabilities(props: { device: AdminDevice; others: readonly AdminDevice[]; onClose: () => void }) {
  const { device, others, onClose } = props
  const form = useForm<CopyValues>({
    initialValues: {
      source_device_id: others[0]?.device_id ?? '',
      target_device_model: '',
      target_firmware: device.firmware ?? '',
    },
  })
  const submit = async (body: CopyValues) => {
    const params = { path: { device_id: device.device_id } }
    const copied = await answer(
      api.POST('/admin/api/dispatch/devices/{device_id}/capabilities:copy-from', { params, body }),
    )
    return { message: copyMessage(copied) }
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Copy capabilities"
      submitLabel="Copy"
      form={form}
      submit={submit}
      renew={[keys.capabilities, keys.energy]}
    >
      <NativeSelect
        label="From"
        description="Only capabilities verified for this model and firmware are copied"
        data={others.map(({ device_id: value, display_name: label }) => ({ value, label }))}
        data-autofocus
        {...form.getInputProps('source_device_id')}
      />
      <TextInput
        label={`${device.display_name}: model`}
        description="From the type plate"
        maxLength={64}
        required
        {...form.getInputProps('target_device_model')}
      />
      <TextInput
        label={`${device.display_name}: firmware`}
        maxLength={64}
        required
        {...form.getInputProps('target_firmware')}
      />
    </FormDialog>
  )
}

const reasons = {
  not_verified: 'not verified there',
  other_device_model: 'another model',
  other_firmware: 'another firmware',
} as const

/** Message about the result of a copy. */
function copyMessage({ copied, not_copied: left }: Pick<Schemas['CapabilityCopied'], 'copied' | 'not_copied'>): string {
  const rest = left.map(({ name, reason }) => `${capabilityPlans[name].title} (${reasons[reason]})`)
  const done =
    copied.length === 0
      ? 'No capabilities copied'
      : `${formatCount(copied.length, 'capability', 'capabilities')} copied`
  return rest.length === 0 ? done : `${done}. Skipped: ${rest.join(', ')}`
}
