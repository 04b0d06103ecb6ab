import { createLocalBus, EventStream } from '@hearth/events'
import type { Caller } from '../access.ts'
import type { GatewayEvent } from './schema.ts'

/** The service's event stream. */
export type Events = ReturnType<typeof createEvents>

/** Creates the event stream. It does not resume: every connection starts with `hello`. */
export function createEvents(version: string) {
  const stream = new EventStream<GatewayEvent>({ bus: createLocalBus(0), maxPerOwner: 40 })
  const observers: ((event: GatewayEvent) => void)[] = []
  return {
    publish(event: GatewayEvent): void {
      stream.publish(event)
      for (const observe of observers) observe(event)
    },
    /** Calls a part of the service with every event; it must not wait or throw. */
    observe(observer: (event: GatewayEvent) => void): void {
      observers.push(observer)
    },
    /** Opens a stream for this caller; undefined when too many are open. Programs get no `changed` events. */
    open({ via, name }: Caller, isAllowed: () => Promise<boolean>) {
      const isProgram = via.kind === 'token'
      return stream.subscribe({
        owner: isProgram ? via.id : name,
        isAllowed,
        greet: () => ({ type: 'hello', version }),
        view: (event) => (isProgram && event.type === 'changed' ? undefined : event),
      })
    },
    listeners: () => stream.size,
    /** Ends all streams: every subscriber has to prove again that it may listen. */
    dropAll: () => stream.end(() => true),
    close: () => stream.close(),
  }
}
