import { NativeSelect, TextInput } from '@mantine/core'
import { answer, FormDialog, formatCount } from '@hearth/ui'
import { useForm } from '@mantine/form'
import type { components } from '../api.gen.ts'
import { type AdminDevice, api, keys } from '../api.ts'
import { capabilityPlans } from './capability-words.ts'

type CapabilityCopied = components['schemas']['CapabilityCopied']

interface CopyValues extends Record<string, unknown> {
  source_device_id: string
  target_device_model: string
  target_firmware: string
}

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
    return { message: copiedInWords(copied) }
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
        description="Only what is verified there, for this model and firmware, is copied"
        data={others.map(({ device_id: value, display_name: label }) => ({ value, label }))}
        data-autofocus
        {...form.getInputProps('source_device_id')}
      />
      <TextInput
        label={`Model of ${device.display_name}`}
        description="As on its type plate"
        maxLength={64}
        required
        {...form.getInputProps('target_device_model')}
      />
      <TextInput
        label={`Firmware of ${device.display_name}`}
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

/** What a copy brought, and why not everything. */
export function copiedInWords({ copied, not_copied: left }: Pick<CapabilityCopied, 'copied' | 'not_copied'>): string {
  const rest = left.map(({ name, reason }) => `${capabilityPlans[name].title} (${reasons[reason]})`)
  const done =
    copied.length === 0 ? 'Nothing was copied' : `${formatCount(copied.length, 'capability', 'capabilities')} copied`
  return rest.length === 0 ? done : `${done}. Left out: ${rest.join(', ')}`
}
