import { Section } from '@hearth/ui'
import { IconTags } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { Text } from '@mantine/core'
import type { Job } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { TagLinks } from './tag-links.tsx'

const TagsDialog = lazy(async () => ({ default: (await import('./tags-dialog.tsx')).TagsDialog }))

/** The tags of a download, with a dialog that changes them. */
export function TagsCard({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false)
  const edit = (
    <ActionButton icon={IconTags} size="xs" onClick={() => setOpen(true)}>
      Change tags
    </ActionButton>
  )
  return (
    <Section title="Tags" actions={edit}>
      {job.tags.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet. The library finds a download by its tags.
        </Text>
      ) : (
        <TagLinks tags={job.tags} />
      )}
      <Suspense>{isOpen && <TagsDialog jobs={[job]} onClose={() => setOpen(false)} />}</Suspense>
    </Section>
  )
}
