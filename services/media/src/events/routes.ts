import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route, type Caller } from '../access.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { unavailable } from '../problems.ts'
import { StreamMessage } from '../events.ts'
import type { EventStreams, Subscriber } from './streams.ts'

export interface StreamDependencies {
  readonly streams: EventStreams
  readonly jobs: Jobs
  readonly stillAllowed: (caller: Caller) => Promise<boolean>
}

/** Both event streams. Messages have no name, an ascending id, and begin with the state of things. */
export function eventRoutes(dependencies: StreamDependencies): Route[] {
  const shared = { method: 'GET', tag: 'Events', access: 'member', limit: '30', errors: [503] as const } as const
  const success = { status: 200, media: 'text/event-stream', schema: StreamMessage } as const
  return [
    route(
      {
        ...shared,
        path: '/events',
        summary: 'All events',
        success: { ...success, description: 'Server-sent events; `Last-Event-ID` goes on where a connection was lost' },
      },
      ({ caller, client, header, answer }) => {
        const snapshot = async () => ({
          type: 'snapshot',
          jobs: await dependencies.jobs.list({ offset: 0, limit: 50 }),
        })
        return open(dependencies, answer, {
          caller,
          address: client.address,
          lastEventId: header('last-event-id'),
          snapshot,
        })
      },
    ),
    route(
      {
        ...shared,
        path: '/api/jobs/{job_id}/events',
        summary: 'Events of one job',
        params: z.object({ job_id: z.string().toLowerCase() }),
        success: { ...success, description: 'As /events, of one job' },
        errors: [404, 503],
      },
      async ({ caller, client, header, answer, params }) => {
        const jobId = (await dependencies.jobs.find(params.job_id)).id
        const snapshot = async () => ({ type: 'snapshot', jobs: [await dependencies.jobs.find(jobId)] })
        const subscriber = { caller, address: client.address, jobId, lastEventId: header('last-event-id'), snapshot }
        return open(dependencies, answer, subscriber)
      },
    ),
  ]
}

async function open(
  { streams, stillAllowed }: StreamDependencies,
  answer: { header(name: string, value: string): void },
  { caller, ...subscriber }: Omit<Subscriber, 'isAllowed'> & { caller: Caller },
) {
  const stream = await streams.open({ ...subscriber, isAllowed: () => stillAllowed(caller) })
  if (stream === undefined) throw unavailable('Too many event streams are open', 5)
  answer.header('cache-control', 'no-cache, no-transform')
  answer.header('x-accel-buffering', 'no')
  return { content: stream }
}
