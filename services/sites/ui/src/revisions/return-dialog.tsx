import { Button, Group, Modal, Text } from '@mantine/core'
import { answer, QueryState, useAction } from '@hearth/ui'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import { FoldedConfigDiff } from '../differences/config-diff.tsx'
import { SiteDiffs } from '../differences/site-diffs.tsx'
import { readRevisionDiff } from './read-revisions.ts'

/** Shows what returning to a revision would change, and does it when that is wanted. */
export function ReturnDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const diff = useQuery({
    queryKey: [...keys.revisions, 'diff', id, 'current'],
    queryFn: () => readRevisionDiff(id, 'current'),
    staleTime: 0,
  })
  const action = useAction({
    run: () => answer(api.POST('/api/revisions/{id}/return', { params: { path: { id } } })),
    done: (result) => (result.synced ? `Everything is as revision ${id} left it` : result.detail),
    renew: [keys.revisions, keys.sites, keys.status],
    onDone: onClose,
  })
  const isSame = diff.data?.sites.length === 0
  return (
    <Modal opened onClose={onClose} size="xl" title={`Return to revision ${id}?`}>
      <div className="field-stack">
        <QueryState query={diff} lines={3} />
        {isSame && <Text>All sites are as this revision left them. There is nothing to return to.</Text>}
        {diff.data !== undefined && !isSame && (
          <>
            <Text>This becomes a new revision; you can return from it again. What it changes:</Text>
            <SiteDiffs diffs={diff.data.sites} />
            <FoldedConfigDiff changes={diff.data.config} total={diff.data.config_changes} />
          </>
        )}
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={onClose} data-autofocus>
            {isSame ? 'Close' : 'Stay as it is'}
          </Button>
          {!isSame && (
            <Button
              leftSection={<IconArrowBackUp size={16} aria-hidden />}
              disabled={diff.data === undefined}
              loading={action.isPending}
              onClick={() => action.mutate()}
            >
              Return
            </Button>
          )}
        </Group>
      </div>
    </Modal>
  )
}
