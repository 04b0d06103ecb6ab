import { noEnvelope, routeFor, type Envelope, type Route } from '@hearth/http'
import { z } from 'zod'
import {
  FailedNotifications,
  NotificationDestination,
  NotificationDestinationValues,
  NotificationOverview,
  NotificationPath,
  NotificationTest,
} from './destinations/schema.ts'
import type { Notifications } from './notifications.ts'

/** Answer to a request that leaves nothing to show. */
export const NotificationDone = z.object({ message: z.string() }).meta({ id: 'NotificationDone' })

/** The place of the routes in a service's API. */
export interface NotificationMount<Access extends string, Limit extends string> {
  /** Such as `/api/notifications`. */
  readonly prefix: string
  /** Section of the API description; `Notifications` by default. */
  readonly tag?: string
  /** Access of administrators. */
  readonly access: Access
  readonly limits: {
    readonly read: Limit
    readonly write: Limit
    /** Of test messages, which make a connection at once. */
    readonly test: Limit
  }
  /** Status of a body that the rules of destinations refuse; 422 by default. */
  readonly invalidStatus?: number
  /** None by default. */
  readonly envelope?: Envelope
}

const route = routeFor<Readonly<Record<string, unknown>>, string>()

/** The routes of notifications, for administrators. Returns them for the service to mount. */
export function notificationRoutes<Access extends string, Limit extends string>(
  notifications: Notifications,
  mount: NotificationMount<Access, Limit>,
): Route[] {
  return [...destinationRoutes(notifications, mount), ...failureRoutes(notifications, mount)]
}

type Mount = NotificationMount<string, string>

function sharedOf({ tag = 'Notifications', access, limits, envelope: { schema, wrap } = noEnvelope }: Mount) {
  const base = { tag, access } as const
  return {
    read: { ...base, limit: limits.read, method: 'GET' },
    write: { ...base, limit: limits.write },
    test: { ...base, limit: limits.test },
    success: (body: z.ZodType, status: 200 | 201 = 200) => ({ success: { status, body: schema(body) } }),
    answer: async (value: Promise<unknown>) => wrap(await value),
    done: async (work: Promise<unknown>, message: string) => {
      await work
      return wrap({ message })
    },
  } as const
}

function destinationRoutes(notifications: Notifications, mount: Mount): Route[] {
  const { read, write, test, success, answer, done } = sharedOf(mount)
  const { prefix, invalidStatus = 422 } = mount
  const path = `${prefix}/destinations`
  const one = { path: `${path}/{id}`, params: NotificationPath, errors: [404] } as const
  return [
    route({ ...read, path, summary: 'List the destinations of notifications', ...success(NotificationOverview) }, () =>
      answer(notifications.overview()),
    ),
    route(
      {
        ...write,
        method: 'POST',
        path,
        summary: 'Add a destination',
        body: NotificationDestinationValues,
        ...success(NotificationDestination, 201),
        errors: [409, invalidStatus],
      },
      ({ body }) => answer(notifications.create(body)),
    ),
    route(
      {
        ...write,
        ...one,
        method: 'PUT',
        summary: 'Change a destination',
        description:
          'Replaces all values. A secret that is left out stays, unless the server that gets it is another. One that is switched off loses the messages that wait for it.',
        body: NotificationDestinationValues,
        ...success(NotificationDestination),
        errors: [404, invalidStatus],
      },
      ({ params, body }) => answer(notifications.change(params.id, body)),
    ),
    route(
      { ...write, ...one, method: 'DELETE', summary: 'Delete a destination', ...success(NotificationDone) },
      ({ params }) => done(notifications.remove(params.id), 'Destination deleted'),
    ),
    route(
      {
        ...test,
        ...one,
        method: 'POST',
        path: `${path}/{id}/test`,
        summary: 'Send a test message',
        description: 'At once, whatever the rules of the destination. The answer says how it ended.',
        ...success(NotificationTest),
      },
      ({ params }) => answer(notifications.test(params.id)),
    ),
  ]
}

function failureRoutes(notifications: Notifications, mount: Mount): Route[] {
  const { read, write, success, answer, done } = sharedOf(mount)
  const path = `${mount.prefix}/failures`
  const one = { path: `${path}/{id}`, params: NotificationPath, errors: [404] } as const
  return [
    route({ ...read, path, summary: 'List the messages that were given up', ...success(FailedNotifications) }, () =>
      answer(notifications.failures()),
    ),
    route(
      {
        ...write,
        ...one,
        method: 'POST',
        path: `${path}/{id}/send`,
        summary: 'Send a message that was given up again',
        ...success(NotificationDone),
      },
      ({ params }) => done(notifications.sendAgain(params.id), 'Sent again'),
    ),
    route(
      {
        ...write,
        ...one,
        method: 'DELETE',
        summary: 'Dismiss a message that was given up',
        ...success(NotificationDone),
      },
      ({ params }) => done(notifications.dismiss(params.id), 'Dismissed'),
    ),
  ]
}
