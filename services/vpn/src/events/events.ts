import { createLocalBus, EventStream } from '@hearth/events'
import type { Caller } from '../access.ts'
import type { Role } from '../users/schema.ts'
import type { ServiceEvent } from '../service-event.ts'

/** The service's event stream. */
export type Events = ReturnType<typeof createEvents>

/** Creates the event stream. It does not resume: every connection starts with `hello`. */
export function createEvents(version: string) {
  const stream = new EventStream<ServiceEvent>({ bus: createLocalBus(0) })
  return {
    publish: (event: ServiceEvent): void => stream.publish(event),
    /** Opens a stream of what this caller may see; undefined when too many are open. */
    open: (caller: Caller, isAllowed: () => Promise<boolean>) =>
      stream.subscribe({
        owner: caller.userId,
        isAllowed,
        greet: () => ({ type: 'hello', version }),
        view: (event) => viewFor(caller.role, event),
      }),
    listeners: () => stream.size,
    /** Ends the streams of a user who has lost access. */
    drop: (userId: string) => stream.end(({ owner }) => owner === userId),
    close: () => stream.close(),
  }
}

/** The event as a role may see it: role `user` gets nothing about accounts and settings, and no endpoints of peers. */
function viewFor(role: Role, event: ServiceEvent): ServiceEvent | undefined {
  if (role === 'admin') return event
  if (event.type === 'activity') return { ...event, peers: event.peers.map((peer) => ({ ...peer, endpoint: null })) }
  if (event.type === 'changed' && !readableByUsers.has(event.collection)) return undefined
  return event
}

const readableByUsers: ReadonlySet<string> = new Set([
  'peers',
  'interfaces',
  'dns_rules',
  'dns_records',
  'dns_zones',
  'dns_profiles',
  'dns_settings',
  'blocklists',
])
