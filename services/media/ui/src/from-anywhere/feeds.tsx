import { Group, Text, TextInput } from '@mantine/core'
import { answer, CopyButton, FormDialog, QueryState, RelativeTime, Section } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconRss } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Feed } from '../api.ts'
import { ActionButton, DeleteButton } from '../buttons.tsx'
import { toIsoString } from '../jobs/job.ts'

/** Feeds of the finished sounds, and a dialog that makes one. */
export function Feeds() {
  const feeds = useQuery({ queryKey: keys.feeds, queryFn: () => answer(api.GET('/api/feeds')) })
  const [isOpen, setOpen] = useState(false)
  const create = (
    <ActionButton icon={IconRss} size="xs" onClick={() => setOpen(true)}>
      Make a feed
    </ActionButton>
  )
  return (
    <Section title="Podcast feeds" actions={create}>
      <Text size="sm" c="dimmed">
        A podcast app that follows a feed gets every finished sound by itself. Whoever has the address gets them too,
        without signing in; each app can have one of its own.
      </Text>
      <QueryState query={feeds} lines={2} />
      {feeds.data !== undefined && feeds.data.length > 0 && (
        <ul className="feeds" aria-label="Podcast feeds">
          {feeds.data.map((feed) => (
            <FeedLine key={feed.id} feed={feed} />
          ))}
        </ul>
      )}
      <CreateFeed opened={isOpen} onClose={() => setOpen(false)} />
    </Section>
  )
}

function FeedLine({ feed }: { feed: Feed }) {
  return (
    <li className="copyable">
      <Group gap="xs" justify="space-between">
        <Text fw={600}>{feed.name}</Text>
        <Text size="sm" c="dimmed">
          made <RelativeTime value={toIsoString(feed.created_at)} />
        </Text>
      </Group>
      <code className="hearth-mono">{feed.url}</code>
      <Group gap="xs">
        <CopyButton text={feed.url}>Copy address</CopyButton>
        <DeleteButton
          aria-label={`Delete ${feed.name}`}
          title={`Delete the feed “${feed.name}”?`}
          losses={['Apps that follow it get nothing new', 'A new feed has a different address']}
          verb="Delete feed"
          action={{
            run: () => answer(api.DELETE('/api/feeds/{id}', { params: { path: { id: feed.id } } })),
            done: () => 'The feed is deleted',
            renew: [keys.feeds],
          }}
        >
          Delete
        </DeleteButton>
      </Group>
    </li>
  )
}

function CreateFeed({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? 'Give it a name' : null) },
  })
  return (
    <FormDialog<{ name: string }, Feed>
      opened={opened}
      onClose={onClose}
      title="Make a feed"
      form={form}
      submitLabel="Make it"
      submit={(body) => answer(api.POST('/api/feeds', { body }))}
      onDone={() => form.reset()}
      renew={[keys.feeds]}
    >
      <TextInput
        label="Name"
        description="Podcast apps show it"
        placeholder="Music to practise"
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
    </FormDialog>
  )
}
