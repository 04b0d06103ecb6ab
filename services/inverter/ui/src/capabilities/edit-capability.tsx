import { Group, NativeSelect, NumberInput, Radio, Textarea, TextInput } from '@mantine/core'
import { answer, FormDialog } from '@hearth/ui'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { type AdminDevice, api, keys } from '../api.ts'
import { capabilityValues, type CapabilityValues, toCapabilityUpdate } from './capability-values.ts'
import { type Capability, capabilityPlans, type Question } from './capability-words.ts'

/** Records what was found out about one capability. */
export function EditCapability(props: { device: AdminDevice; capability: Capability; onClose: () => void }) {
  const { device, capability, onClose } = props
  const plan = capabilityPlans[capability.name]
  const form = useForm<CapabilityValues>({ initialValues: capabilityValues(capability, device.firmware) })
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
          label="Model of the device"
          description="As on its type plate; needed to verify"
          maxLength={64}
          {...form.getInputProps('verified_device_model')}
        />
        <TextInput
          label="Firmware"
          description="A later firmware makes this unverified again"
          maxLength={64}
          {...form.getInputProps('verified_firmware')}
        />
      </Group>
      <Textarea
        label="Note"
        description={
          capability.name === 'write_path_convention'
            ? 'How it was found out, up to 200 plain characters; needed to verify'
            : 'How it was found out, up to 200 plain characters; may be empty'
        }
        maxLength={200}
        autosize
        minRows={2}
        {...form.getInputProps('note')}
      />
      <Radio.Group label="Is this certain?" {...form.getInputProps('status')}>
        <Group mt={6}>
          <Radio value="unverified" label="Not yet" />
          <Radio value="verified" label="Yes, I have seen it" />
        </Group>
      </Radio.Group>
    </FormDialog>
  )
}

function QuestionField({ question, form }: { question: Question; form: UseFormReturnType<CapabilityValues> }) {
  const { label, help, field } = question
  const input = form.getInputProps(field)
  if (question.kind === 'number')
    return (
      <NumberInput
        label={label}
        description={help}
        min={question.min}
        max={question.max}
        allowDecimal={false}
        clampBehavior="none"
        {...input}
      />
    )
  const choices =
    question.kind === 'unit'
      ? [
          { value: 'ratio', label: 'Share from 0 to 1' },
          { value: 'percent', label: 'Percent' },
        ]
      : [
          { value: 'yes', label: 'Yes' },
          { value: 'no', label: 'No' },
        ]
  return (
    <NativeSelect label={label} description={help} data={[{ value: '', label: 'Not known' }, ...choices]} {...input} />
  )
}
