import { answer, type NotificationApi, NotificationsPage as Notifications } from '@hearth/ui'
import { api } from '../api.ts'

/** Where messages go when something goes wrong. */
export function NotificationsPage() {
  return <Notifications api={notifications} />
}

const destinations = '/api/notifications/destinations'
const failures = '/api/notifications/failures'
const one = (id: string) => ({ params: { path: { id } } })

const notifications: NotificationApi = {
  overview: () => answer(api.GET(destinations)),
  create: (body) => answer(api.POST(destinations, { body })),
  change: (id, body) => answer(api.PUT(`${destinations}/{id}`, { ...one(id), body })),
  remove: (id) => answer(api.DELETE(`${destinations}/{id}`, one(id))),
  test: (id) => answer(api.POST(`${destinations}/{id}/test`, one(id))),
  failures: () => answer(api.GET(failures)),
  sendAgain: (id) => answer(api.POST(`${failures}/{id}/send`, one(id))),
  dismiss: (id) => answer(api.DELETE(`${failures}/{id}`, one(id))),
}
