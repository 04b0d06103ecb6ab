import { Button, Group, Stack } from '@mantine/core'
import { answer, ConfirmDelete, formatBytes, formatCount, Problem } from '@hearth/ui'
import { useState } from 'react'
import { api, keys, type StorageUsage } from '../api.ts'
import { filesMissing, kindNames } from './storage-texts.ts'

/** The stored files by kind, beside the budget. */
export function StorageShares({ usage }: { usage: StorageUsage }) {
  const {
    used_bytes: used,
    reserved_bytes: reserved,
    budget_bytes: budget,
    kinds,
    pinned,
    files_disk_free_bytes: ofFiles,
  } = usage
  const taken = used + reserved
  const free = Math.max(0, budget - taken)
  const most = Math.max(budget, taken, 1)
  return (
    <Stack gap="sm">
      {usage.is_missing && <MissingFiles />}
      <p className="storage-sum">
        <b>{formatBytes(used)}</b>{' '}
        {budget === 0 ? 'stored, without a limit' : `of ${formatBytes(budget)}, ${formatBytes(free)} free`}
      </p>
      <div className="storage-bar" aria-hidden>
        {kinds.map(({ kind, bytes }) => (
          <span key={kind} data-kind={kind} style={{ width: `${(bytes / most) * 100}%` }} />
        ))}
        <span data-kind="reserved" style={{ width: `${(reserved / most) * 100}%` }} />
      </div>
      <dl className="storage-kinds">
        {kinds.map(({ kind, bytes, files }) => (
          <Kind key={kind} kind={kind} name={kindNames[kind]} bytes={bytes} note={formatCount(files, 'file')} />
        ))}
        {reserved > 0 && <Kind kind="reserved" name="Kept for running downloads" bytes={reserved} />}
        <Kind name="Temporary files" bytes={usage.work_bytes} note="beside the budget" />
        <Kind name="Pinned" bytes={pinned.bytes} note={formatCount(pinned.downloads, 'download')} />
        <Kind name="Free on the disk" bytes={usage.disk_free_bytes} />
        {ofFiles !== null && <Kind name="Free on the disk of the files" bytes={ofFiles} />}
      </dl>
    </Stack>
  )
}

/** The storage without the recorded files, and the way on when they are gone for good. */
function MissingFiles() {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Problem text={filesMissing} />
      <Group>
        <Button variant="default" size="xs" onClick={() => setAsking(true)}>
          Go on without them
        </Button>
      </Group>
      <ConfirmDelete
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Go on without the stored files?"
        verb="Go on"
        losses={['Downloads stay in the list, without their files. Should the files come back, they count again.']}
        action={{
          run: () => answer(api.POST('/api/storage/accept')),
          done: () => 'New files are stored again',
          renew: [keys.storage],
        }}
      />
    </>
  )
}

function Kind({ kind, name, bytes, note }: { kind?: string; name: string; bytes: number; note?: string }) {
  return (
    <div data-kind={kind}>
      <dt>
        {name}
        {note !== undefined && <small>{note}</small>}
      </dt>
      <dd>{formatBytes(bytes)}</dd>
    </div>
  )
}
