import { Divider, SegmentedControl, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormDialog } from '../form-dialog.tsx'
import {
  atInputs,
  blankForm,
  type DestinationForm,
  formOf,
  kindNames,
  newSigningSecret,
  type TargetKind,
  valuesOf,
} from './destination-values.ts'
import {
  type NotificationApi,
  type NotificationClass,
  type NotificationDestination,
  renewNotifications,
} from './notification-api.ts'
import { EventFields, TimeFields } from './rule-fields.tsx'
import { TargetFields } from './target-fields.tsx'

interface DestinationDialogProps {
  api: NotificationApi
  classes: readonly NotificationClass[]
  /** The destination to edit; undefined for a new one. */
  destination: NotificationDestination | undefined
  onClose: () => void
}

const browserZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Adds or edits a destination. */
export function DestinationDialog({ api, classes, destination, onClose }: DestinationDialogProps) {
  const isStored = destination !== undefined
  const form = useForm<DestinationForm>({
    initialValues: isStored ? formOf(destination) : blankForm(browserZone()),
    validate: checkForm,
  })
  const { kind } = form.getValues()
  const chooseKind = (next: string) => {
    form.clearErrors()
    form.setFieldValue('kind', next as TargetKind)
    if (next === 'webhook' && form.getValues().secret === '') form.setFieldValue('secret', newSigningSecret())
  }
  const submit = async (values: DestinationForm) => {
    try {
      const sent = valuesOf(values)
      const saved = await (isStored ? api.change(destination.id, sent) : api.create(sent))
      return {
        message: isStored ? `${saved.name} is saved` : `${saved.name} is added. Send a test to see that it works.`,
      }
    } catch (error) {
      throw atInputs(error)
    }
  }
  return (
    <FormDialog
      opened
      onClose={onClose}
      size="lg"
      title={isStored ? `Edit ${destination.name}` : 'Add destination'}
      submitLabel={isStored ? 'Save' : 'Add destination'}
      form={form}
      submit={submit}
      renew={renewNotifications}
    >
      <TextInput
        label="Name"
        placeholder="My phone"
        maxLength={80}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      {!isStored && (
        <SegmentedControl
          aria-label="Kind"
          fullWidth
          data={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
          value={kind}
          onChange={chooseKind}
        />
      )}
      <TargetFields kind={kind} form={form} isStored={isStored} />
      <Divider />
      <EventFields form={form} classes={classes} />
      <Divider />
      <TimeFields form={form} />
      {isStored && (
        <>
          <Divider />
          <Switch
            label="Enabled"
            description="Switched off, it gets nothing. Messages that wait for it are dropped."
            {...form.getInputProps('is_enabled', { type: 'checkbox' })}
          />
        </>
      )}
    </FormDialog>
  )
}

function checkForm(values: DestinationForm): Record<string, string> {
  const needed: Readonly<Record<TargetKind, readonly string[]>> = {
    webhook: ['url'],
    ntfy: ['server', 'topic'],
    gotify: ['server'],
    email: ['host', 'port', 'from', 'to'],
  }
  const empty = ['name', ...needed[values.kind]].filter((name) => String(values[name]).trim() === '')
  const problems = Object.fromEntries(empty.map((name) => [name, 'Required']))
  if (values.chosen === 'some' && values.classes.length === 0) problems['classes'] = 'Choose at least one event'
  return problems
}
