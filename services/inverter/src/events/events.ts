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

/** Streams one caller may have open, so that the others find a place. */
const mostOfOne = 40

export function createEvents(version: string): Events {
  const stream = createEventStream<GatewayEvent>()
  const open = new Map<string, number>()
  return {
    publish: (event) => stream.publish(event),
    open(caller, stillAllowed) {
      const owner = caller.via.kind === 'token' ? caller.via.id : caller.name
      const count = open.get(owner) ?? 0
      const isProgram = caller.via.kind === 'token'
      const view = (event: GatewayEvent) => (isProgram && event.type === 'changed' ? undefined : event)
      const subscription =
        count < mostOfOne ? stream.subscribe({ owner, view, stillAllowed }, { type: 'hello', version }) : undefined
      if (subscription === undefined) return undefined
      open.set(owner, count + 1)
      subscription.stream.once('close', () => open.set(owner, (open.get(owner) ?? 1) - 1))
      return subscription
    },
    listeners: () => stream.listeners,
    dropAll() {
      for (const owner of open.keys()) stream.dropListeners(owner)
      for (const [owner, count] of open) if (count <= 0) open.delete(owner)
    },
    close: () => stream.close(),
  }
}
