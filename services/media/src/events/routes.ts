import type { Call, Route } from '@hearth/http'
import { route, type Caller } from '../access.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { JobPath, type Job } from '../jobs/schema.ts'
import { unavailable } from '../problems.ts'
import { StreamMessage } from '../events.ts'
import type { EventStreams } from './streams.ts'

export interface StreamDependencies {
  readonly streams: EventStreams
  readonly jobs: Jobs
  readonly stillAllowed: (caller: Caller) => Promise<boolean>
}

/** Both event streams. Messages have no name, an ascending id, and begin with a snapshot. */
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
      (call) => open(dependencies, call, { jobs: () => dependencies.jobs.list({ offset: 0, limit: 50 }) }),
    ),
    route(
      {
        ...shared,
        path: '/api/jobs/{job_id}/events',
        summary: 'Events of one job',
        params: JobPath,
        success: { ...success, description: 'As /events, of one job' },
        errors: [404, 503],
      },
      async (call) => {
        const jobId = (await dependencies.jobs.find(call.params.job_id)).id
        return open(dependencies, call, { jobId, jobs: async () => [await dependencies.jobs.find(jobId)] })
      },
    ),
  ]
}

type StreamCall = Pick<Call<Caller, undefined, undefined, undefined>, 'caller' | 'client' | 'header' | 'answer'>

/** Opens a stream of all events, or of one job; it begins with the state of `jobs`. */
async function open(
  { streams, stillAllowed }: StreamDependencies,
  { caller, client, header, answer }: StreamCall,
  { jobs, ...concerned }: { readonly jobId?: string; readonly jobs: () => Promise<Job[]> },
) {
  const stream = await streams.open({
    ...concerned,
    address: client.address,
    lastEventId: header('last-event-id'),
    snapshot: async () => ({ type: 'snapshot', jobs: await jobs() }),
    tokenId: caller.tokenId,
    isAllowed: () => stillAllowed(caller),
  })
  if (stream === undefined) throw unavailable('Too many event streams are open', 5)
  answer.header('cache-control', 'no-cache, no-transform')
  answer.header('x-accel-buffering', 'no')
  return { content: stream }
}
