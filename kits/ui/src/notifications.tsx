import { useNotifications } from '@mantine/notifications'
import { type ComponentType, lazy, Suspense, useState } from 'react'

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
