import type { Readable } from 'node:stream'
import { EventStream, type EventStreamOptions, type StreamEnd } from '@hearth/events'
import { addressGroup } from '@hearth/http'
import type { MediaBus, MediaEvent } from '../events.ts'

/** A subscriber of all events, or of the events of one job. */
export interface Subscriber {
  readonly address: string
  /** The API token that it came with. */
  readonly tokenId?: string | undefined
  /** Only events of this job. */
  readonly jobId?: string
  readonly lastEventId?: string | undefined
  /** Makes the first message of a stream that cannot continue; fails when the job does not exist. */
  readonly snapshot: () => Promise<object>
  readonly isAllowed: () => Promise<boolean>
}

/** The event streams of one process. */
export type EventStreams = ReturnType<typeof createEventStreams>

/** Creates the streams: every event from the bus as an unnamed message, its number also in its data as `seq`. */
export function createEventStreams(bus: MediaBus, limits: EventStreamOptions<MediaEvent> = {}) {
  const stream = new EventStream<MediaEvent>({
    bus,
    // One client cannot take all of the streams.
    maxPerOwner: 10,
    maxQueued: { messages: 32 },
    remembered: 1000,
    heartbeatMs: 5000,
    heartbeat: 'keepalive',
    preamble: 'retry: 2000\n\n',
    ...limits,
  })
  return {
    /** Opens a stream; undefined when too many are open, in total or of this client. */
    open({ address, jobId, snapshot, tokenId, ...subscriber }: Subscriber): Promise<Readable | undefined> {
      return stream.subscribe({
        ...subscriber,
        owner: addressGroup(address),
        ...(tokenId !== undefined && { userId: tokenId }),
        greet: async (_hasMissed, seq) => ({ ...(await snapshot()), seq }),
        view: (event, seq) => (concerns(event, jobId) ? { ...event, seq } : undefined),
        farewell: (reason, seq) => farewell(reason, { seq, jobId }),
      })
    },
    get count(): number {
      return stream.size
    },
    /** Ends the streams of a token. */
    endToken: (id: string) => stream.end(({ userId }) => userId === id),
    close: () => stream.close(),
  }
}

function concerns(event: MediaEvent, jobId: string | undefined): boolean {
  if (jobId === undefined) return true
  if ('id' in event) return event.id === jobId
  return event.job_id === null || event.job_id === jobId
}

function farewell(reason: StreamEnd, { seq, jobId = null }: { seq: number; jobId: string | null | undefined }) {
  if (reason === 'denied') return { data: { type: 'authentication_required' } }
  if (reason === 'closing') return { id: seq, data: { type: 'shutdown', job_id: null, seq } }
  return { id: seq, data: { type: 'resync_required', job_id: reason === 'gap' ? null : jobId, seq } }
}
