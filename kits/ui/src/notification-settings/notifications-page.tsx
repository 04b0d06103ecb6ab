import { Button } from '@mantine/core'
import { IconBell, IconChevronLeft, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { tableAnswer } from '../data-table.tsx'
import { PageHeader } from '../page-parts.tsx'
import { DestinationDialog } from './destination-form.tsx'
import { DestinationList } from './destination-list.tsx'
import { FailureList } from './failure-list.tsx'
import { type NotificationApi, notificationKeys } from './notification-api.ts'

/** The way from the settings to the notifications. */
export function NotificationsLink() {
  return (
    <Button
      component={Link}
      href="/settings/notifications"
      variant="default"
      leftSection={<IconBell size={16} aria-hidden />}
    >
      Notifications
    </Button>
  )
}

/** Messages are delivered without the page's doing. */
const refetchInterval = 15_000

/** The destinations of notifications and the messages that were given up; administrators only. */
export function NotificationsPage({ api }: { api: NotificationApi }) {
  const [isAdding, setAdding] = useState(false)
  const overview = useQuery({ queryKey: notificationKeys.overview, queryFn: () => api.overview(), refetchInterval })
  const failures = useQuery({ queryKey: notificationKeys.failures, queryFn: () => api.failures(), refetchInterval })
  const { destinations, classes = [] } = overview.data ?? {}
  return (
    <>
      <Link href="/settings" className="hearth-way-back">
        <IconChevronLeft size={14} aria-hidden />
        Settings
      </Link>
      <PageHeader
        title="Notifications"
        description="Where Hearth sends a message when something goes wrong."
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            Add destination
          </Button>
        }
      />
      <div className="hearth-stack">
        <DestinationList
          api={api}
          answer={tableAnswer(overview, destinations)}
          classes={classes}
          onAdd={() => setAdding(true)}
        />
        {(failures.data?.total ?? 0) > 0 && (
          <FailureList api={api} answer={tableAnswer(failures, failures.data?.failures, failures.data?.total)} />
        )}
      </div>
      {isAdding && (
        <DestinationDialog api={api} classes={classes} destination={undefined} onClose={() => setAdding(false)} />
      )}
    </>
  )
}
