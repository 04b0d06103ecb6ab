import { createEventStream, type EventStream } from '@hearth/http'
import type { Caller } from '../access.ts'
import type { GatewayEvent } from './schema.ts'

/** The service's one stream of events. */
export interface Events {
  publish(event: GatewayEvent): void
  /** A stream for this caller, or undefined when too many listen. */
  open(caller: Caller, stillAllowed: () => Promise<boolean>): ReturnType<EventStream<GatewayEvent>['subscribe']>
  listeners(): number
  /** Lets everybody who listens prove again that they may. */
  dropAll(): void
  close(): void
}

const everyone = 'everyone'

export function createEvents(version: string): Events {
  const stream = createEventStream<GatewayEvent>()
  return {
    publish: (event) => stream.publish(event),
    open: (caller, stillAllowed) =>
      stream.subscribe(
        {
          owner: everyone,
          view: (event) => (caller.via.kind === 'token' && event.type === 'changed' ? undefined : event),
          stillAllowed,
        },
        { type: 'hello', version },
      ),
    listeners: () => stream.listeners,
    dropAll: () => stream.dropListeners(everyone),
    close: () => stream.close(),
  }
}
