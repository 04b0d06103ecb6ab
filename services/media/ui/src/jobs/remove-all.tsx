import { Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { answer, formatCount, useAction } from '@hearth/ui'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api, keys } from '../api.ts'
import type { JobBook } from '../live/live-changes.ts'
import { Waiting } from '../progress/waiting.tsx'

const word = 'remove'

/** Asks, with a word to type, before every download goes. */
export function RemoveAll({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Remove all downloads?">
      <RemoveAllForm onClose={onClose} />
    </Modal>
  )
}

function RemoveAllForm({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient()
  const [typed, setTyped] = useState('')
  const book = cache.getQueryData<JobBook>(keys.jobs)
  const removal = useAction<void, { message: string }>({
    run: () => answer(api.POST('/api/jobs/remove-all')),
    onDone: onClose,
  })
  const isSure = typed.trim().toLowerCase() === word
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSure) removal.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>This cannot be undone. What is lost:</Text>
        <List size="sm" spacing={4}>
          <List.Item>{howMany(book)}</List.Item>
          <List.Item>Every trim and stem made of them</List.Item>
          <List.Item>Every link that was shared</List.Item>
          <List.Item>What is being downloaded now is stopped</List.Item>
        </List>
        <TextInput
          label={`Type “${word}” to go on`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          autoCapitalize="none"
          data-autofocus
        />
        {removal.isPending && <Waiting label="Removing files" />}
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={onClose}>
            Keep
          </Button>
          <Button
            type="submit"
            color="red"
            disabled={!isSure}
            loading={removal.isPending}
            leftSection={<IconTrash size={16} aria-hidden />}
          >
            Remove all
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function howMany(book: JobBook | undefined): string {
  if (book === undefined) return 'All downloads, with their files'
  const count = formatCount(book.jobs.length, 'download')
  if (!book.isComplete) return `More than ${count}, with their files`
  return book.jobs.length === 1 ? `${count}, with its files` : `All ${count}, with their files`
}
