import { Group, NativeSelect, NumberInput, Radio, Textarea, TextInput } from '@mantine/core'
import { answer, FormDialog } from '@hearth/ui'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { type AdminDevice, api, type Capability, keys } from '../api.ts'
import { capabilityValues, type CapabilityValues, toCapabilityUpdate } from './capability-values.ts'
import { capabilityPlans, choicesOf, type Question } from './capability-texts.ts'

/** Records what was found out about one capability. */
export function EditCapability(props: {
  device: AdminDevice
  capability: Capability
  /** Evidence that a check found; the form begins with it. */
  found?: Partial<Capability> | undefined
  onClose: () => void
}) {
  const { device, capability, found, onClose } = props
  const plan = capabilityPlans[capability.name]
  const form = useForm<CapabilityValues>({
    initialValues: capabilityValues({ ...capability, ...found }, device.firmware),
  })
  const submit = async (values: CapabilityValues) => {
    const params = { path: { device_id: device.device_id, name: capability.name } }
    const body = toCapabilityUpdate(values, capability)
    await answer(api.PUT('/admin/api/dispatch/devices/{device_id}/capabilities/{name}', { params, body }))
    return { message: values.status === 'verified' ? `${plan.title}: verified` : `${plan.title}: saved, unverified` }
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={plan.title}
      submitLabel="Save"
      size="lg"
      form={form}
      submit={submit}
      renew={[keys.capabilities, keys.energy]}
    >
      {plan.questions.map((question) => (
        <QuestionField key={question.field} question={question} form={form} />
      ))}
      <Group grow align="flex-start">
        <TextInput
          label="Device model"
          description="From the type plate; required for verification"
          maxLength={64}
          {...form.getInputProps('verified_device_model')}
        />
        <TextInput
          label="Firmware"
          description="A firmware update resets the verification"
          maxLength={64}
          {...form.getInputProps('verified_firmware')}
        />
      </Group>
      <Textarea
        label="Note"
        description={
          capability.name === 'write_path_convention'
            ? 'How you verified it, up to 200 ASCII characters; required for verification'
            : 'How you verified it, up to 200 ASCII characters; optional'
        }
        maxLength={200}
        autosize
        minRows={2}
        {...form.getInputProps('note')}
      />
      <Radio.Group label="Status" {...form.getInputProps('status')}>
        <Group mt={6}>
          <Radio value="unverified" label="Unverified" />
          <Radio value="verified" label="Verified on this inverter" />
        </Group>
      </Radio.Group>
    </FormDialog>
  )
}

function QuestionField({ question, form }: { question: Question; form: UseFormReturnType<CapabilityValues> }) {
  const { label, help, field, range } = question
  const common = { label, description: help, ...form.getInputProps(field) }
  if (range !== undefined)
    return <NumberInput min={range[0]} max={range[1]} allowDecimal={false} clampBehavior="none" {...common} />
  const choices = Object.entries(choicesOf(question)).map(([value, text]) => ({ value, label: text }))
  return <NativeSelect data={[{ value: '', label: 'Unknown' }, ...choices]} {...common} />
}
