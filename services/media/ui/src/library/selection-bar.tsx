import { Button, CloseButton, Group, Text } from '@mantine/core'
import { answer, formatCount, useAction } from '@hearth/ui'
import { IconFolderMinus, IconFolderPlus, IconLink, IconPin, IconPinnedOff, IconTags } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { api, keys, type Collection, type Job } from '../api.ts'
import { ActionButton, DeleteButton } from '../buttons.tsx'
import { usePin } from '../jobs/use-job-actions.ts'

const TagsDialog = lazy(async () => ({ default: (await import('./tags-dialog.tsx')).TagsDialog }))
const NewShare = lazy(async () => ({ default: (await import('../shares/share-form.tsx')).NewShare }))
const CollectDialog = lazy(async () => ({ default: (await import('./collect-dialog.tsx')).CollectDialog }))

/** Most files that one link takes. */
const shareable = 100

/** Most items that one request takes. */
const atOnce = 200

/** Calls for items in requests that are not too large. */
export async function inParts(ids: readonly string[], call: (ids: string[]) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < ids.length; index += atOnce) await call(ids.slice(index, index + atOnce))
}

interface SelectionBarProps {
  jobs: readonly Job[]
  /** The collection that is shown. */
  collection: Collection | undefined
  onChooseAll: (() => void) | undefined
  onClear: () => void
}

/** What can be done with the chosen items. */
export function SelectionBar({ jobs, collection, onChooseAll, onClear }: SelectionBarProps) {
  const [dialog, setDialog] = useState<'tags' | 'collect' | 'share'>()
  const [, navigate] = useLocation()
  const ids = jobs.map(({ id }) => id)
  const close = () => setDialog(undefined)
  const arePinned = jobs.every(({ pinned }) => pinned)
  const pin = usePin(ids)
  const takeOut = useAction({
    run: () =>
      inParts(ids, (remove) =>
        answer(
          api.POST('/api/collections/{id}/jobs', {
            params: { path: { id: collection?.id ?? '' } },
            body: { add: [], remove },
          }),
        ),
      ),
    done: () => `${formatCount(ids.length, 'download')} left the collection`,
    renew: [keys.library, keys.collections],
    onDone: onClear,
  })
  return (
    <section className="selection-bar" aria-label="Chosen downloads">
      <Group gap="xs" wrap="nowrap">
        <CloseButton aria-label="Choose nothing" onClick={onClear} />
        <Text fw={600} component="output">
          {jobs.length} chosen
        </Text>
        {onChooseAll !== undefined && (
          <Button variant="subtle" size="xs" onClick={onChooseAll}>
            All shown
          </Button>
        )}
      </Group>
      <Group gap="xs">
        <ActionButton icon={IconLink} size="xs" disabled={jobs.length > shareable} onClick={() => setDialog('share')}>
          Share
        </ActionButton>
        <ActionButton icon={IconTags} size="xs" onClick={() => setDialog('tags')}>
          Tags
        </ActionButton>
        <ActionButton icon={IconFolderPlus} size="xs" onClick={() => setDialog('collect')}>
          Collect
        </ActionButton>
        <ActionButton
          icon={arePinned ? IconPinnedOff : IconPin}
          size="xs"
          loading={pin.isPending}
          onClick={() => pin.mutate(!arePinned)}
        >
          {arePinned ? 'Unpin' : 'Pin'}
        </ActionButton>
        {collection !== undefined && (
          <ActionButton icon={IconFolderMinus} size="xs" loading={takeOut.isPending} onClick={() => takeOut.mutate()}>
            Take out
          </ActionButton>
        )}
        <DeleteButton
          size="xs"
          title={`Delete ${formatCount(jobs.length, 'download')}?`}
          losses={[
            jobs.length === 1 ? 'The file, with its trims and stems' : 'The files, with their trims and stems',
            'The links that were shared',
          ]}
          verb="Delete"
          action={{
            run: () => inParts(ids, (job_ids) => answer(api.POST('/api/jobs/remove', { body: { job_ids } }))),
            done: () => `${formatCount(ids.length, 'download')} deleted`,
            renew: [keys.library, keys.libraryTags, keys.collections],
            onDone: onClear,
          }}
        >
          Delete
        </DeleteButton>
      </Group>
      <Suspense>
        {dialog === 'share' && <NewShare jobIds={ids} onClose={close} onDone={() => navigate('/links')} />}
        {dialog === 'tags' && <TagsDialog jobs={jobs} onClose={close} />}
        {dialog === 'collect' && <CollectDialog ids={ids} onClose={close} onDone={onClear} />}
      </Suspense>
    </section>
  )
}
