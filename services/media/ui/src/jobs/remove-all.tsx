import { List, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, FormDialog, formatCount } from '@hearth/ui'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import type { JobBook } from '../live/live-changes.ts'
import { Waiting } from '../progress/waiting.tsx'

const word = 'remove'

/** Dialog that removes every download, after a word is typed. */
export function RemoveAll({ onClose }: { onClose: () => void }) {
  const book = useQueryClient().getQueryData<JobBook>(keys.jobs)
  const form = useForm({ initialValues: { typed: '' } })
  const isSure = form.getValues().typed.trim().toLowerCase() === word
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Remove all downloads?"
      form={form}
      cancelLabel="Keep"
      submitLabel="Remove all"
      submitButton={{ color: 'red', disabled: !isSure, leftSection: <IconTrash size={16} aria-hidden /> }}
      progress={<Waiting label="Removing files" />}
      submit={() => answer(api.POST('/api/jobs/remove-all'))}
    >
      <Text>This cannot be undone. What is lost:</Text>
      <List size="sm" spacing={4}>
        <List.Item>{howMany(book)}</List.Item>
        <List.Item>Every trim and stem made of them</List.Item>
        <List.Item>Every link that was shared</List.Item>
        <List.Item>What is being downloaded now is stopped</List.Item>
      </List>
      <TextInput
        label={`Type “${word}” to continue`}
        autoComplete="off"
        autoCapitalize="none"
        data-autofocus
        {...form.getInputProps('typed')}
      />
    </FormDialog>
  )
}

function howMany(book: JobBook | undefined): string {
  if (book === undefined) return 'All downloads, with their files'
  const count = formatCount(book.jobs.length, 'download')
  if (!book.isComplete) return `More than ${count}, with their files`
  return book.jobs.length === 1 ? `${count}, with its files` : `All ${count}, with their files`
}
