import {
  answer,
  type Column,
  ConfirmDelete,
  DataTable,
  EmptyState,
  IconAction,
  RelativeTime,
  Section,
  StatusBadge,
  useAction,
} from '@hearth/ui'
import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconCamera, IconDots, IconFileDownload, IconPencil, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Snapshot, type SnapshotList } from '../api.ts'
import { EditSnapshot } from './snapshot-dialogs.tsx'
import { snapshotTitle } from './snapshot-texts.ts'

interface OpenDialog {
  kind: 'edit' | 'remove'
  snapshot: Snapshot
}

/** The snapshots of an inverter, newest first. */
export function SnapshotSection({ list }: { list: SnapshotList }) {
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const resume = useAction<Snapshot, { message: string }>({
    run: async ({ device_id, id }) => {
      const params = { path: { device_id, snapshot_id: id } }
      await answer(api.POST('/admin/api/devices/{device_id}/snapshots/{snapshot_id}/resume', { params }))
      return { message: 'The snapshot goes on' }
    },
    renew: [keys.snapshots],
  })
  const columns = columnsWith({
    onOpen: setDialog,
    onResume: list.progress === null ? (snapshot) => resume.mutate(snapshot) : undefined,
  })
  const rows = list.snapshots.filter(({ origin }) => origin !== 'current')
  return (
    <Section title="Snapshots">
      <DataTable
        label="Snapshots"
        columns={columns}
        rowKey={({ id }) => String(id)}
        answer={{ rows, total: rows.length, error: null, retry: () => undefined }}
        empty={
          <EmptyState icon={IconCamera} title="No snapshots yet">
            Take one before a firmware update or a visit of the installer: it shows what has changed afterwards.
          </EmptyState>
        }
      />
      {dialog?.kind === 'edit' && <EditSnapshot snapshot={dialog.snapshot} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveSnapshot snapshot={dialog.snapshot} onClose={close} />}
    </Section>
  )
}

const states = { reading: 'Reading', complete: 'Complete', interrupted: 'Interrupted' } as const
const tones = { reading: 'accent', complete: 'good', interrupted: 'warn' } as const

interface Actions {
  onOpen: (dialog: OpenDialog) => void
  /** Undefined while another snapshot is read. */
  onResume: ((snapshot: Snapshot) => void) | undefined
}

function columnsWith(actions: Actions): Column<Snapshot>[] {
  return [
    {
      key: 'title',
      header: 'Name',
      role: 'title',
      render: (row) => (
        <div className="parameter-name">
          <span className="hearth-name">{snapshotTitle(row)}</span>
          {row.note !== null && <small className="hearth-dimmed">{row.note}</small>}
        </div>
      ),
    },
    { key: 'at', header: 'Taken', render: (row) => <RelativeTime value={row.begun_at} /> },
    { key: 'by', header: 'By', role: 'wide', render: (row) => row.taken_by ?? 'Hearth' },
    { key: 'firmware', header: 'Firmware', render: (row) => row.firmware ?? '–' },
    {
      key: 'read',
      header: 'Parameters',
      numeric: true,
      render: (row) => `${row.read} of ${row.total}${row.failed === 0 ? '' : `, ${row.failed} not answered`}`,
    },
    {
      key: 'state',
      header: 'State',
      render: (row) => (
        <div className="snapshot-who">
          <StatusBadge tone={tones[row.state]}>{states[row.state]}</StatusBadge>
          {row.detail !== null && <small className="hearth-dimmed">{row.detail}</small>}
        </div>
      ),
    },
    { key: 'actions', header: 'Actions', role: 'actions', render: (row) => <RowActions snapshot={row} {...actions} /> },
  ]
}

function RowActions({ snapshot, onOpen, onResume }: Actions & { snapshot: Snapshot }) {
  const title = snapshotTitle(snapshot)
  const base = `/admin/api/devices/${encodeURIComponent(snapshot.device_id)}/snapshots/${snapshot.id}/values`
  return (
    <div className="snapshot-actions">
      {snapshot.state === 'interrupted' && onResume !== undefined && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          onClick={() => onResume(snapshot)}
        >
          Continue
        </Button>
      )}
      <IconAction icon={IconPencil} label={`Edit ${title}`} onClick={() => onOpen({ kind: 'edit', snapshot })} />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={`More for ${title}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {(['csv', 'json'] as const).map((format) => (
            <Menu.Item
              key={format}
              component="a"
              href={`${base}.${format}`}
              download
              leftSection={<IconFileDownload size={16} aria-hidden />}
            >
              Download {format.toUpperCase()}
            </Menu.Item>
          ))}
          <Menu.Item
            leftSection={<IconTrash size={16} aria-hidden />}
            c="var(--hearth-bad)"
            onClick={() => onOpen({ kind: 'remove', snapshot })}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

function RemoveSnapshot({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const params = { path: { device_id: snapshot.device_id, snapshot_id: snapshot.id } }
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${snapshotTitle(snapshot)}?`}
      losses={[`${snapshot.read} values as they were read`, 'Comparisons with it']}
      verb="Delete snapshot"
      action={{
        run: () => answer(api.DELETE('/admin/api/devices/{device_id}/snapshots/{snapshot_id}', { params })),
        renew: [keys.snapshots],
      }}
    />
  )
}
