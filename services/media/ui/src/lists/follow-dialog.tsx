import { Select, Switch, Text, TextInput } from '@mantine/core'
import { answer, FormDialog, notifyDone } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { api, keys, type Follow, type MediaList } from '../api.ts'
import type { Choices } from '../submit/choices.ts'
import { intervals, minutesProblem, requestOf, valuesOf, type FollowValues } from './follow-values.ts'

interface FollowDialogProps {
  /** The list to follow, or the one that is followed. */
  list: Pick<MediaList, 'url' | 'title'>
  choices?: Choices
  follow?: Follow
  onClose: () => void
}

/** Follows a list, or changes how it is followed. */
export function FollowDialog({ list, choices, follow, onClose }: FollowDialogProps) {
  const form = useForm<FollowValues>({
    initialValues: valuesOf(follow),
    validate: { min_minutes: minutesProblem },
  })
  const save = (values: FollowValues) => {
    const change = requestOf(values)
    if (follow !== undefined)
      return answer(api.PATCH('/api/followed/{id}', { params: { path: { id: follow.id } }, body: change }))
    const kind = {
      type: choices?.type ?? 'audio',
      quality: choices?.type === 'video' ? choices.quality : 'max',
    } as const
    return answer(
      api.POST('/api/followed', { body: { ...change, ...kind, url: list.url, takes_present: values.takes_present } }),
    )
  }
  return (
    <FormDialog<FollowValues, Follow>
      opened
      onClose={onClose}
      title={`${follow === undefined ? 'Follow' : 'Change'} “${list.title ?? list.url}”`}
      form={form}
      submitLabel={follow === undefined ? 'Follow' : 'Save'}
      submit={save}
      onDone={() => {
        if (follow === undefined) notifyDone('The list is followed; see Followed lists')
        onClose()
      }}
      renew={[keys.followed]}
    >
      <Select label="Check" allowDeselect={false} data={[...intervals]} {...form.getInputProps('every_minutes')} />
      <TextInput
        type="date"
        label="Published from"
        description="Empty: any day"
        {...form.getInputProps('newer_than')}
      />
      <TextInput
        label="At least, minutes"
        description="Empty: any length"
        inputMode="decimal"
        {...form.getInputProps('min_minutes')}
      />
      <TextInput
        label="Words of the title"
        description="One of them must be in it; one after a - must not. Separate them by commas"
        placeholder="mix, live, -teaser"
        {...form.getInputProps('title_has')}
      />
      {follow === undefined && (
        <Switch
          label="Download what is in it now, too"
          {...form.getInputProps('takes_present', { type: 'checkbox' })}
        />
      )}
      <Text size="xs" c="dimmed">
        What a platform does not tell, such as the day, excludes nothing. Only the first 1,000 entries are checked; what
        is added behind them is not found.
      </Text>
    </FormDialog>
  )
}
