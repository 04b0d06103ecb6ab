import { Checkbox, Group, NativeSelect, Radio, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { DestinationForm } from './destination-values.ts'
import type { NotificationClass } from './notification-api.ts'

type Form = UseFormReturnType<DestinationForm>

/** Inputs that say which events a destination gets. */
export function EventFields({ form, classes }: { form: Form; classes: readonly NotificationClass[] }) {
  const groups = [...Map.groupBy(classes, ({ group }) => group)]
  return (
    <Stack gap="sm">
      <Radio.Group label="Events" {...form.getInputProps('chosen')}>
        <Group mt={6}>
          <Radio value="all" label="All, new ones included" />
          <Radio value="some" label="Only some" />
        </Group>
      </Radio.Group>
      {form.getValues().chosen === 'some' && (
        <Checkbox.Group {...form.getInputProps('classes')} aria-label="Events to send">
          <div className="hearth-event-groups">
            {groups.map(([group, members]) => (
              <fieldset key={group}>
                <legend>{group}</legend>
                {members.map(({ id, label }) => (
                  <Checkbox key={id} value={id} label={label} />
                ))}
              </fieldset>
            ))}
          </div>
        </Checkbox.Group>
      )}
      <NativeSelect
        label="Severity"
        data={[
          { value: 'info', label: 'Any' },
          { value: 'warning', label: 'Warning and critical' },
          { value: 'critical', label: 'Critical only' },
        ]}
        {...form.getInputProps('minimum_severity')}
      />
    </Stack>
  )
}

/** Inputs that say when a destination gets its messages. */
export function TimeFields({ form }: { form: Form }) {
  const { digest, is_quiet: isQuiet } = form.getValues()
  return (
    <Stack gap="sm">
      <Group grow align="flex-start">
        <NativeSelect
          label="Send"
          data={[
            { value: 'message', label: 'Each message at once' },
            { value: 'hour', label: 'A digest every hour' },
            { value: 'day', label: 'A digest every day' },
          ]}
          {...form.getInputProps('digest')}
        />
        {digest === 'day' && <TextInput label="At" type="time" required {...form.getInputProps('digest_at')} />}
      </Group>
      <Switch
        label="Quiet hours"
        description="Messages wait until they end. Critical ones do not."
        {...form.getInputProps('is_quiet', { type: 'checkbox' })}
      />
      {isQuiet && (
        <Group grow align="flex-start">
          <TextInput label="From" type="time" required {...form.getInputProps('quiet_from')} />
          <TextInput label="To" type="time" required {...form.getInputProps('quiet_to')} />
        </Group>
      )}
      {(isQuiet || digest === 'day') && (
        <TextInput
          label="Time zone"
          description="Such as Europe/Berlin"
          required
          {...form.getInputProps('time_zone')}
        />
      )}
    </Stack>
  )
}
