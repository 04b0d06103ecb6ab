import { createEventStream, type EventStream } from '@hearth/http'
import type { Caller } from '../access.ts'
import type { Role } from '../users/schema.ts'
import type { ServiceEvent } from './schema.ts'

/** The service's one stream of events. */
export interface Events {
  publish(event: ServiceEvent): void
  /** A stream of what this caller may see, or undefined when too many listen. */
  open(caller: Caller, stillAllowed: () => Promise<boolean>): ReturnType<EventStream<ServiceEvent>['subscribe']>
  listeners(): number
  /** Ends the streams of a user who lost access. */
  drop(userId: string): void
  close(): void
}

export function createEvents(version: string): Events {
  const stream = createEventStream<ServiceEvent>()
  return {
    publish: (event) => stream.publish(event),
    open: (caller, stillAllowed) =>
      stream.subscribe(
        { owner: caller.userId, view: (event) => viewFor(caller.role, event), stillAllowed },
        { type: 'hello', version },
      ),
    listeners: () => stream.listeners,
    drop: (userId) => stream.dropListeners(userId),
    close: () => stream.close(),
  }
}

/** What role `user` is told: nothing about accounts and settings, and not where peers connect from. */
function viewFor(role: Role, event: ServiceEvent): ServiceEvent | undefined {
  if (role === 'admin') return event
  if (event.type === 'activity') return { ...event, peers: event.peers.map((peer) => ({ ...peer, endpoint: null })) }
  if (event.type === 'changed' && !open.has(event.collection)) return undefined
  return event
}

/** Collections role `user` may read. */
const open: ReadonlySet<string> = new Set(['peers', 'interfaces', 'dns_rules', 'dns_settings', 'blocklists'])
