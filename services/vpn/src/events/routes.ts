import type { Route } from '@hearth/http'
import { route, type Caller } from '../access.ts'
import { badRequest } from '../problems.ts'
import type { Events } from './events.ts'
import { ServiceEvent } from '../service-event.ts'

/** The live stream. A browser keeps one open and needs no polling. */
export function eventRoutes(events: Events, stillValid: (caller: Caller) => Promise<boolean>): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/events',
        tag: 'Events',
        summary: 'What happens, as it happens',
        description:
          'Server-sent events; each `data` is a ServiceEvent. Begins with `hello`: read the state afresh after it.',
        access: 'signed-in',
        limit: 'counted',
        success: {
          status: 200,
          media: 'text/event-stream',
          description: 'Events until either side closes',
          schema: ServiceEvent,
        },
      },
      async ({ caller, answer }) => {
        const stream = await events.open(caller, () => stillValid(caller))
        if (stream === undefined) throw badRequest('Too many listeners; close one first')
        answer.header('x-accel-buffering', 'no')
        return { content: stream }
      },
    ),
  ]
}
