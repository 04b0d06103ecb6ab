import { answer, useAction } from '@hearth/ui'
import { Button, Progress } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import { api, keys, type SnapshotList } from '../api.ts'
import { Notice } from '../page-elements.tsx'
import { roughly } from './snapshot-texts.ts'

/** Progress of the reading of a snapshot, with a button that ends it. */
export function SnapshotProgress({ list }: { list: SnapshotList }) {
  const { progress, device_id } = list
  const cancel = useAction({
    run: () => answer(api.POST('/admin/api/devices/{device_id}/snapshots:cancel', { params: { path: { device_id } } })),
    done: () => 'Reading cancelled',
    renew: [keys.snapshots],
  })
  if (progress === null) return null
  const { done, total, waiting_for: waiting, remaining_seconds: seconds } = progress
  return (
    <Notice
      color={waiting === null ? 'blue' : 'yellow'}
      icon={IconHourglass}
      more={
        <div className="snapshot-progress">
          <Progress value={(100 * done) / Math.max(1, total)} aria-label="Parameters read" />
          <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        </div>
      }
    >
      {done} of {total} parameters read.{' '}
      {waiting === null ? `This takes ${roughly(seconds)} more.` : `${waiting}; reading goes on when it answers.`}
    </Notice>
  )
}
