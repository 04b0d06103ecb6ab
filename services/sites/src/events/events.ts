import type { Readable } from 'node:stream'
import { createLocalBus, EventStream, type EventStreamOptions } from '@hearth/events'
import type { Timers } from '@hearth/runtime'
import type { Role } from '../accounts/schema.ts'
import type { NewEvent, SiteEvent } from './schema.ts'

/** A subscriber of the event stream. */
export interface Subscriber {
  /** Key of the session, or of the token. */
  readonly connection: string
  readonly userId: string
  readonly role: Role
  readonly lastEventId: string | undefined
  /** Returns the current role; undefined when the session or the token has ended. */
  readonly roleNow: () => Promise<Role | undefined>
}

/** The service's event stream. */
export type Events = ReturnType<typeof createEvents>

/** Largest event, bytes of JSON; a larger one goes without its details. */
const maxEventSize = 8192

/** Creates the event stream. Ids start at the current time, so an id of an earlier run continues nothing. */
export function createEvents(timers: Timers, limits: EventStreamOptions<SiteEvent> = {}) {
  const now = () => new Date(timers.now()).toISOString()
  const stream = new EventStream<SiteEvent>({
    bus: createLocalBus(timers.now()),
    timers,
    maxStreams: 100,
    maxPerOwner: 10,
    maxQueued: { messages: 64 },
    remembered: 500,
    heartbeatMs: 25_000,
    heartbeat: 'keep-alive',
    preamble: 'retry: 2000\n: welcome\n\n',
    ...limits,
  })
  return {
    publish: (event: NewEvent) => stream.publish(bounded({ details: {}, ...event, ts: now() })),
    /** Opens a stream; undefined when too many are open, in total or of this session or token. */
    subscribe: ({ connection, userId, role, lastEventId, roleNow }: Subscriber): Promise<Readable | undefined> =>
      stream.subscribe({
        owner: connection,
        userId,
        lastEventId,
        // With another role the browser connects anew, and gets what that role may see.
        isAllowed: async () => (await roleNow()) === role,
        greet: (hasMissed) =>
          hasMissed ? { type: 'reset', action: 'missed_events', id: null, details: {}, ts: now() } : undefined,
        view: (event) => viewFor(role, event),
      }),
    get listeners() {
      return stream.size
    },
    endConnection: (key: string) => stream.end(({ owner }) => owner === key),
    endUser: (id: string) => stream.end(({ userId }) => userId === id),
    close: () => stream.close(),
  }
}

function bounded(event: SiteEvent): SiteEvent {
  if (Buffer.byteLength(JSON.stringify(event)) <= maxEventSize) return event
  return { ...event, details: { truncated: true } }
}

/** Events that only administrators get. */
const forAdministrators: ReadonlySet<SiteEvent['type']> = new Set(['drift', 'onboarding', 'settings', 'order'])

/** Events that everybody gets in full, because dashboards show them. */
const forAll: ReadonlySet<SiteEvent['type']> = new Set(['certificate', 'grade', 'traffic', 'uptime', 'reset'])

/** The event as a role may see it: that a site or a node changed is no secret, how it did is. */
function viewFor(role: Role, event: SiteEvent): SiteEvent | undefined {
  if (role === 'admin' || forAll.has(event.type)) return event
  return forAdministrators.has(event.type) ? undefined : { ...event, details: {} }
}
