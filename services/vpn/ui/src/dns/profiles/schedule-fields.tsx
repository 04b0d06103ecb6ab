import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Select,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconX } from '@tabler/icons-react'
import type { DnsProfile } from '../../api.ts'
import { newTime, type ProfileValues, type TimeValues } from './profile-values.ts'
import { weekdays } from './profile-words.ts'

type Form = UseFormReturnType<ProfileValues>

const maxTimes = 28

/** When a profile holds. `others` are the profiles that may hold for the rest of the time. */
export function ScheduleFields({ form, others }: { form: Form; others: readonly DnsProfile[] }) {
  const { when } = form.getValues()
  return (
    <fieldset>
      <legend>When</legend>
      <SegmentedControl
        aria-label="When"
        data={[
          { value: 'always', label: 'Always' },
          { value: 'times', label: 'At certain times' },
        ]}
        {...form.getInputProps('when')}
      />
      {when === 'times' && (
        <>
          <Times form={form} />
          <ZoneField form={form} />
          <NativeSelect
            label="For the rest of the time"
            data={[
              { value: '', label: 'The settings for all devices' },
              ...others.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            {...form.getInputProps('otherwise')}
          />
        </>
      )}
    </fieldset>
  )
}

function Times({ form }: { form: Form }) {
  const { times } = form.getValues()
  return (
    <>
      <ul className="profile-times" aria-label="Times">
        {times.map((time, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- a time is its place
          <Time key={place} form={form} place={place} time={time} isOnly={times.length === 1} />
        ))}
      </ul>
      {form.errors['times'] !== undefined && <Input.Error>{form.errors['times']}</Input.Error>}
      <Group>
        <Button
          variant="default"
          size="xs"
          disabled={times.length >= maxTimes}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => form.insertListItem('times', newTime())}
        >
          Add time
        </Button>
      </Group>
    </>
  )
}

function Time(props: { form: Form; place: number; time: TimeValues; isOnly: boolean }) {
  const { form, place, time, isOnly } = props
  const path = `times.${place}`
  const isNextDay = time.to !== '00:00' && time.to <= time.from
  return (
    <li>
      <Checkbox.Group
        aria-label="Days"
        className="profile-days"
        value={time.days}
        onChange={(days) => form.setFieldValue(`${path}.days`, days)}
      >
        <Group gap="sm">
          {weekdays.map(({ day, label, name }) => (
            <Checkbox key={day} value={day} label={label} aria-label={name} />
          ))}
        </Group>
      </Checkbox.Group>
      {form.errors[`${path}.days`] !== undefined && (
        <Input.Error className="profile-days">{form.errors[`${path}.days`]}</Input.Error>
      )}
      <TextInput label="From" type="time" required {...form.getInputProps(`${path}.from`)} />
      <TextInput
        label={isNextDay ? 'To, on the next day' : 'To'}
        type="time"
        required
        {...form.getInputProps(`${path}.to`)}
      />
      <ActionIcon
        variant="default"
        size={36}
        aria-label="Remove this time"
        disabled={isOnly}
        onClick={() => form.removeListItem('times', place)}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </li>
  )
}

function ZoneField({ form }: { form: Form }) {
  const zones = Intl.supportedValuesOf('timeZone')
  return (
    <Select
      label="Time zone"
      placeholder="That of the server"
      searchable
      clearable
      limit={50}
      data={zones}
      nothingFoundMessage="No such time zone"
      {...form.getInputProps('time_zone')}
      value={form.getValues().time_zone === '' ? null : form.getValues().time_zone}
      onChange={(zone) => form.setFieldValue('time_zone', zone ?? '')}
    />
  )
}
