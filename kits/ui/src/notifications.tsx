import { notifications, useNotifications } from '@mantine/notifications'
import { type ComponentType, lazy, Suspense, useState } from 'react'
import { describeError } from './api-error.ts'

/** Loaded with the first message. Messages wait in their store meanwhile; without the file none is shown. */
const NotificationList = lazy(async (): Promise<{ default: ComponentType }> => {
  const { NotificationList } = await import('./notification-list.tsx').catch(() => ({ NotificationList: () => null }))
  return { default: NotificationList }
})

/** Messages at the edge of the page, such as that something was saved. */
export function Notifications() {
  const { notifications } = useNotifications()
  const [isNeeded, setNeeded] = useState(false)
  if (notifications.length > 0 && !isNeeded) setNeeded(true)
  return <Suspense>{isNeeded && <NotificationList />}</Suspense>
}

/** Says that something worked. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green', className: 'hearth-notice', autoClose: 4000 })
}

/** Says what went wrong and leaves it longer, because it has to be read. */
export function notifyProblem(error: unknown): void {
  notifications.show({
    title: 'That did not work',
    message: describeError(error),
    color: 'red',
    className: 'hearth-notice',
    autoClose: 10_000,
    role: 'alert',
  })
}
