import type { Route } from '@hearth/http'
import { route, type Caller } from '../access.ts'
import { Problem } from '../problems.ts'
import type { Events } from './events.ts'
import { GatewayEvent } from './schema.ts'

/** The live stream, for pages and for programs that would poll otherwise. */
export function eventRoutes(events: Events, isStillValid: (caller: Caller) => Promise<boolean>): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/v1/stream',
        tag: 'Metrics',
        summary: 'Stream of values, readiness and dispatch',
        description:
          'Server-sent events; each `data` is a GatewayEvent. Starts with `hello`: read the current state after it.',
        access: 'read',
        limit: 'counted',
        success: {
          status: 200,
          media: 'text/event-stream',
          description: 'Events until either side closes',
          schema: GatewayEvent,
        },
        errors: [503],
      },
      async ({ caller, answer }) => {
        const stream = await events.open(caller, () => isStillValid(caller))
        if (stream === undefined)
          throw new Problem('queue_full', 'Too many listeners; close one first', { retryAfterSeconds: 10 })
        answer.header('x-accel-buffering', 'no')
        return { content: stream }
      },
    ),
  ]
}
