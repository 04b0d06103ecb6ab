import { Button, Group } from '@mantine/core'
import { IconBell, IconPencil, IconPlus, IconSend, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { type Column, DataTable, type TableAnswer } from '../data-table.tsx'
import { formatCount } from '../format.ts'
import { IconAction } from '../icon-action.tsx'
import { notifyDone, notifyProblem } from '../notifications.tsx'
import { EmptyState } from '../page-parts.tsx'
import { RelativeTime } from '../relative-time.tsx'
import { StatusBadge } from '../status-badge.tsx'
import { useAction } from '../use-action.ts'
import { DestinationDialog } from './destination-form.tsx'
import { addressText, eventsText, kindNames, timesText } from './destination-values.ts'
import {
  type NotificationApi,
  type NotificationClass,
  type NotificationDestination,
  renewNotifications,
} from './notification-api.ts'

interface DestinationListProps {
  api: NotificationApi
  answer: TableAnswer<NotificationDestination>
  classes: readonly NotificationClass[]
  onAdd: () => void
}

/** A dialog that is open for a destination. It stands outside the rows, which change with the width of the screen. */
interface OpenDialog {
  readonly kind: 'edit' | 'delete'
  readonly destination: NotificationDestination
}

/** The destinations of notifications with the outcome of their last attempt. */
export function DestinationList({ api, answer, classes, onAdd }: DestinationListProps) {
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  return (
    <>
      <DataTable
        label="Destinations"
        columns={columnsOf({ api, classes, onOpen: setDialog })}
        rowKey={({ id }) => id}
        dimmed={({ is_enabled: isEnabled }) => !isEnabled}
        answer={answer}
        empty={
          <EmptyState
            icon={IconBell}
            title="No destinations yet"
            action={
              <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
                Add destination
              </Button>
            }
          >
            Add a webhook, an ntfy topic, a Gotify server or an e-mail address. It gets a message when something goes
            wrong, and another when it is over.
          </EmptyState>
        }
      />
      {dialog?.kind === 'edit' && (
        <DestinationDialog api={api} classes={classes} destination={dialog.destination} onClose={close} />
      )}
      {dialog?.kind === 'delete' && <DeleteDialog api={api} destination={dialog.destination} onClose={close} />}
    </>
  )
}

function DeleteDialog({
  api,
  destination: { id, name, waiting },
  onClose,
}: {
  api: NotificationApi
  destination: NotificationDestination
  onClose: () => void
}) {
  const lost = waiting === 0 ? [] : [formatCount(waiting, 'message') + (waiting === 1 ? ' that waits' : ' that wait')]
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${name}?`}
      verb="Delete destination"
      losses={['Its address, secrets and rules', ...lost, 'Its failed messages']}
      action={{ run: () => api.remove(id), done: () => `${name} is deleted`, renew: renewNotifications }}
    />
  )
}

interface RowContext extends Pick<DestinationListProps, 'api' | 'classes'> {
  onOpen: (dialog: OpenDialog) => void
}

function columnsOf({ api, classes, onOpen }: RowContext): Column<NotificationDestination>[] {
  return [
    {
      key: 'name',
      header: 'Destination',
      role: 'title',
      render: ({ name, target }) => (
        <div className="hearth-two-lines">
          <span className="hearth-name">{name}</span>
          <small>
            {kindNames[target.kind]} · <span className="hearth-mono">{addressText(target)}</span>
          </small>
        </div>
      ),
    },
    {
      key: 'rules',
      header: 'Gets',
      render: ({ rules }) => (
        <div className="hearth-two-lines">
          <span>{eventsText(rules, classes)}</span>
          <small>{timesText(rules)}</small>
        </div>
      ),
    },
    { key: 'state', header: 'Last attempt', render: (destination) => <Outcome destination={destination} /> },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (destination) => <RowActions api={api} destination={destination} onOpen={onOpen} />,
    },
  ]
}

function Outcome({ destination }: { destination: NotificationDestination }) {
  const { last_attempt_at: at, last_error: error, waiting, is_enabled: isEnabled } = destination
  const more = waiting === 0 ? null : <small>{formatCount(waiting, 'message')} waiting</small>
  if (!isEnabled) return <StatusBadge tone="quiet">Off</StatusBadge>
  if (at === null)
    return (
      <div className="hearth-two-lines">
        <StatusBadge tone="quiet">Nothing sent yet</StatusBadge>
        {more}
      </div>
    )
  return (
    <div className="hearth-two-lines">
      <Group gap={6} justify="inherit">
        <StatusBadge tone={error === null ? 'good' : 'bad'}>{error === null ? 'Delivered' : 'Failed'}</StatusBadge>
        <RelativeTime value={at} />
      </Group>
      {error !== null && <small>{error}</small>}
      {more}
    </div>
  )
}

function RowActions({
  api,
  destination,
  onOpen,
}: Omit<RowContext, 'classes'> & { destination: NotificationDestination }) {
  const { id, name } = destination
  const test = useAction<void, { is_delivered: boolean; detail: string }>({
    run: () => api.test(id),
    renew: renewNotifications,
    onDone: ({ is_delivered: isDelivered, detail }) =>
      isDelivered ? notifyDone(`Test delivered: ${detail}`) : notifyProblem(new Error(detail)),
  })
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconSend size={14} aria-hidden />}
        aria-label={`Send a test to ${name}`}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Send a test
      </Button>
      <IconAction
        icon={IconPencil}
        size="md"
        iconSize={15}
        label={`Edit ${name}`}
        onClick={() => onOpen({ kind: 'edit', destination })}
      />
      <IconAction
        icon={IconTrash}
        size="md"
        iconSize={15}
        label={`Delete ${name}`}
        onClick={() => onOpen({ kind: 'delete', destination })}
      />
    </Group>
  )
}
