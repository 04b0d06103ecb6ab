import { Button, Group, Text } from '@mantine/core'
import { IconCloud, IconDeviceMobile, IconFingerprint, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { type Column, DataTable, type TableAnswer } from '../data-table.tsx'
import { EmptyState } from '../page-parts.tsx'
import { RelativeTime } from '../relative-time.tsx'
import { StatusBadge } from '../status-badge.tsx'
import { describeAuthenticator } from './authenticator-names.ts'
import { passkeyObstacle } from './passkey-ceremony.ts'
import {
  AddPasskey,
  type PasskeyAdministration,
  type PasskeyRow,
  RemovePasskey,
  RenamePasskey,
} from './passkey-dialogs.tsx'

type Dialog = 'add' | { rename: PasskeyRow } | { remove: PasskeyRow }

/** The passkeys of the signed-in user, with dialogs that add, rename and remove one. */
export function PasskeyList({ admin, answer }: { admin: PasskeyAdministration; answer: TableAnswer<PasskeyRow> }) {
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const obstacle = passkeyObstacle()
  const add = obstacle === undefined && (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog('add')}>
      Add a passkey
    </Button>
  )
  const { rows } = answer
  return (
    <section aria-labelledby="passkeys-title" className="hearth-table-section">
      <div className="hearth-card-head">
        <h2 id="passkeys-title">Passkeys</h2>
        {rows !== undefined && rows.length > 0 && add}
      </div>
      {obstacle !== undefined && rows !== undefined && rows.length > 0 && <Text c="dimmed">{obstacle}</Text>}
      <DataTable
        label="Passkeys"
        columns={columns(setDialog)}
        rowKey={(passkey) => passkey.id}
        answer={answer}
        empty={
          <EmptyState icon={IconFingerprint} title="No passkeys yet" action={add}>
            {obstacle ??
              'A passkey signs you in with a fingerprint, your face or a PIN. It cannot be guessed, and no other site can ask for it.'}
          </EmptyState>
        }
      />
      {dialog === 'add' && <AddPasskey admin={admin} onClose={close} />}
      {typeof dialog === 'object' && 'rename' in dialog && (
        <RenamePasskey admin={admin} passkey={dialog.rename} onClose={close} />
      )}
      {typeof dialog === 'object' && 'remove' in dialog && (
        <RemovePasskey admin={admin} passkey={dialog.remove} onClose={close} />
      )}
    </section>
  )
}

function columns(open: (dialog: Dialog) => void): Column<PasskeyRow>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      role: 'title',
      render: (passkey) => <span className="hearth-name">{passkey.device_name}</span>,
    },
    { key: 'device', header: 'Kept by', render: describeAuthenticator },
    {
      key: 'backup',
      header: 'Copies',
      render: ({ backed_up: isBackedUp }) => (
        <StatusBadge tone={isBackedUp ? 'good' : 'quiet'} icon={isBackedUp ? IconCloud : IconDeviceMobile}>
          {isBackedUp ? 'Synced' : 'One device'}
        </StatusBadge>
      ),
    },
    { key: 'used', header: 'Last used', render: (passkey) => <RelativeTime value={passkey.last_used_at} /> },
    { key: 'made', header: 'Added', render: (passkey) => <RelativeTime value={passkey.created_at} /> },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (passkey) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPencil size={14} aria-hidden />}
            aria-label={`Rename ${passkey.device_name}`}
            onClick={() => open({ rename: passkey })}
          >
            Rename
          </Button>
          <Button
            size="xs"
            variant="default"
            c="var(--hearth-bad)"
            leftSection={<IconTrash size={14} aria-hidden />}
            aria-label={`Remove ${passkey.device_name}`}
            onClick={() => open({ remove: passkey })}
          >
            Remove
          </Button>
        </Group>
      ),
    },
  ]
}
