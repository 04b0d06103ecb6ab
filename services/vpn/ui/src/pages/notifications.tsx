import { answer, type NotificationApi, NotificationsPage as Notifications } from '@hearth/ui'
import { api } from '../api.ts'

/** Where messages go when something goes wrong; administrators only. */
export function NotificationsPage() {
  return <Notifications api={notifications} />
}

const destinations = '/api/notifications/destinations'
const failures = '/api/notifications/failures'
const one = (id: string) => ({ params: { path: { id } } })

const notifications: NotificationApi = {
  overview: async () => (await answer(api.GET(destinations))).data,
  create: async (body) => (await answer(api.POST(destinations, { body }))).data,
  change: async (id, body) => (await answer(api.PUT(`${destinations}/{id}`, { ...one(id), body }))).data,
  remove: (id) => answer(api.DELETE(`${destinations}/{id}`, one(id))),
  test: async (id) => (await answer(api.POST(`${destinations}/{id}/test`, one(id)))).data,
  failures: async () => (await answer(api.GET(failures))).data,
  sendAgain: (id) => answer(api.POST(`${failures}/{id}/send`, one(id))),
  dismiss: (id) => answer(api.DELETE(`${failures}/{id}`, one(id))),
}
