import { Button, Group } from '@mantine/core'
import { IconRefresh, IconX } from '@tabler/icons-react'
import { type Column, DataTable, type TableAnswer } from '../data-table.tsx'
import { formatCount } from '../format.ts'
import { IconAction } from '../icon-action.tsx'
import { RelativeTime } from '../relative-time.tsx'
import { useAction } from '../use-action.ts'
import { type FailedNotification, type NotificationApi, renewNotifications } from './notification-api.ts'

/** The messages that were given up, each with the reason. */
export function FailureList({ api, answer }: { api: NotificationApi; answer: TableAnswer<FailedNotification> }) {
  const { rows = [], total } = answer
  return (
    <section aria-labelledby="failures-title" className="hearth-table-section">
      <div className="hearth-card-head">
        <h2 id="failures-title">Failed messages</h2>
        {rows.length < total && (
          <small>
            The newest {rows.length} of {total}
          </small>
        )}
      </div>
      <DataTable
        label="Failed messages"
        columns={columnsOf(api)}
        rowKey={({ id }) => id}
        answer={answer}
        empty={<p className="hearth-dimmed">Every message was delivered, or is still on its way.</p>}
      />
    </section>
  )
}

function columnsOf(api: NotificationApi): Column<FailedNotification>[] {
  return [
    {
      key: 'title',
      header: 'Message',
      role: 'title',
      render: ({ title, destination }) => (
        <div className="hearth-two-lines">
          <span className="hearth-name">{title}</span>
          <small>to {destination}</small>
        </div>
      ),
    },
    {
      key: 'error',
      header: 'Reason',
      render: ({ error, attempts }) => (
        <div className="hearth-two-lines">
          <span>{error}</span>
          <small>{attempts === 0 ? 'not tried' : `after ${formatCount(attempts, 'attempt')}`}</small>
        </div>
      ),
    },
    { key: 'failed_at', header: 'Given up', render: ({ failed_at: at }) => <RelativeTime value={at} /> },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (failure) => <FailureActions api={api} failure={failure} />,
    },
  ]
}

function FailureActions({ api, failure }: { api: NotificationApi; failure: FailedNotification }) {
  const { id, title } = failure
  const again = useAction({ run: () => api.sendAgain(id), done: () => 'On its way again', renew: renewNotifications })
  const dismiss = useAction({ run: () => api.dismiss(id), done: () => 'Dismissed', renew: renewNotifications })
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} aria-hidden />}
        aria-label={`Send again: ${title}`}
        loading={again.isPending}
        onClick={() => again.mutate()}
      >
        Send again
      </Button>
      <IconAction
        icon={IconX}
        size="md"
        iconSize={15}
        label={`Dismiss: ${title}`}
        tip="Dismiss"
        loading={dismiss.isPending}
        onClick={() => dismiss.mutate()}
      />
    </Group>
  )
}
