import type { Route } from '@hearth/http'
import { route, type Caller } from '../access.ts'
import type { Role } from '../accounts/schema.ts'
import { tooMany } from '../problems.ts'
import type { Events } from './events.ts'
import { SiteEvent } from './schema.ts'

/** The live stream. A browser keeps one open and needs no polling. */
export function eventRoutes(events: Events, roleNow: (caller: Caller) => Promise<Role | undefined>): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/v1/events',
        tag: 'Events',
        summary: 'What happens, as it happens',
        description:
          'Server-sent events with ascending ids; each `data` is a SiteEvent. `Last-Event-ID` goes on where a connection was lost; an event of type `reset` says that too much was missed. Role `user` is told nothing of settings, onboarding and drift, and of sites and nodes only that they changed.',
        access: 'signed-in',
        limit: '20/min',
        success: {
          status: 200,
          media: 'text/event-stream',
          description: 'Events until either side closes',
          schema: SiteEvent,
        },
      },
      async ({ caller, header, answer }) => {
        const stream = await events.subscribe({
          connection: caller.key,
          userId: caller.userId,
          role: caller.role,
          lastEventId: header('last-event-id'),
          roleNow: () => roleNow(caller),
        })
        if (stream === undefined) throw tooMany('Too many event streams are open; close one first', 5)
        answer.header('cache-control', 'no-cache, no-transform')
        answer.header('x-accel-buffering', 'no')
        return { content: stream }
      },
    ),
  ]
}
