import { Notifications } from '@mantine/notifications'

/** Mantine's list of messages, in a file of its own that is loaded with the first of them. */
export function NotificationList() {
  return <Notifications position="bottom-right" limit={4} />
}
