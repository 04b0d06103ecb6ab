import type { Readable } from 'node:stream'
import type { Timers } from '@hearth/runtime'
import type { Role } from '../accounts/schema.ts'
import { eventView } from './event-view.ts'
import { Listener } from './listener.ts'
import type { NewEvent, Publish, SiteEvent } from './schema.ts'

/** Bounds of the streams; smaller in tests. */
export interface RingLimits {
  readonly mostStreams: number
  readonly mostForSession: number
  /** Events that wait for one who does not read; then the stream is cut off. */
  readonly longestQueue: number
  readonly heartbeatMs: number
  /** Events remembered for those who come back. */
  readonly remembered: number
}

/** Research 1.3 and 8.23. */
export const ringLimits: RingLimits = {
  mostStreams: 100,
  mostForSession: 10,
  longestQueue: 64,
  heartbeatMs: 25_000,
  remembered: 500,
}

/** Largest event, bytes of JSON; a larger one goes without its details. */
const largestEvent = 8192

/** One who wants to hear. */
export interface Subscriber {
  readonly sessionKey: string
  readonly userId: string
  readonly role: Role
  /** The last event it had before it lost its connection. */
  readonly lastEventId: string | undefined
  /** Asked at every heartbeat: the role the session has by now, or undefined when it is over. */
  readonly roleNow: () => Promise<Role | undefined>
}

/** The service's events: the last ones remembered, all of them streamed. */
export interface EventRing {
  readonly publish: Publish
  /** Undefined when too many listen already, in all or from this session. */
  subscribe(subscriber: Subscriber): Readable | undefined
  /** Ends the streams of a session at once. */
  endSession(sessionKey: string): void
  /** Ends the streams of a user at once. */
  endUser(userId: string): void
  readonly listeners: number
  close(): void
}

/**
 * Ids grow with every event, also over a restart: they begin at the moment of the start, so that the last id of an earlier run
 * is never taken for one of this run.
 */
export function createEventRing(timers: Timers, limits: RingLimits = ringLimits): EventRing {
  return new Ring(timers, limits)
}

interface Numbered {
  readonly id: number
  readonly event: SiteEvent
}

class Ring implements EventRing {
  readonly #timers: Timers
  readonly #limits: RingLimits
  readonly #open = new Map<Listener, Subscriber>()
  readonly #memory: Numbered[] = []
  #lastId: number
  #cancelHeartbeat: () => void = () => undefined

  constructor(timers: Timers, limits: RingLimits) {
    this.#timers = timers
    this.#limits = limits
    this.#lastId = timers.now()
    this.#planHeartbeat()
  }

  readonly publish = (given: NewEvent): void => {
    this.#lastId += 1
    const numbered = { id: this.#lastId, event: bounded({ details: {}, ...given, ts: this.#moment() }) }
    this.#memory.push(numbered)
    if (this.#memory.length > this.#limits.remembered) this.#memory.shift()
    for (const [listener, { role }] of this.#open) {
      const text = format(numbered, role)
      if (text !== '' && !listener.send(text)) listener.destroy()
    }
  }

  subscribe(subscriber: Subscriber): Readable | undefined {
    const own = [...this.#open.values()].filter(({ sessionKey }) => sessionKey === subscriber.sessionKey)
    if (this.#open.size >= this.#limits.mostStreams || own.length >= this.#limits.mostForSession) return undefined
    const listener = new Listener(this.#limits.longestQueue)
    this.#open.set(listener, subscriber)
    listener.on('close', () => this.#open.delete(listener))
    listener.begin(`retry: 2000\n: welcome\n\n${this.#missed(subscriber)}`)
    return listener
  }

  endSession(sessionKey: string): void {
    this.#end((subscriber) => subscriber.sessionKey === sessionKey)
  }

  endUser(userId: string): void {
    this.#end((subscriber) => subscriber.userId === userId)
  }

  get listeners(): number {
    return this.#open.size
  }

  close(): void {
    this.#cancelHeartbeat()
    this.#end(() => true)
  }

  #end(isMeant: (subscriber: Subscriber) => boolean): void {
    for (const [listener, subscriber] of this.#open) if (isMeant(subscriber)) listener.finish()
  }

  /** What one who comes back has not heard, or the advice to read everything afresh. */
  #missed({ lastEventId, role }: Subscriber): string {
    if (lastEventId === undefined || lastEventId === String(this.#lastId)) return ''
    const position = this.#memory.findIndex(({ id }) => String(id) === lastEventId)
    // The event just before the oldest one that is remembered: nothing is missing either.
    const isJustBefore = String((this.#memory[0]?.id ?? 0) - 1) === lastEventId
    if (position === -1 && !isJustBefore) return this.#reset()
    return this.#memory
      .slice(position + 1)
      .map((numbered) => format(numbered, role))
      .join('')
  }

  #reset(): string {
    const event: SiteEvent = { type: 'reset', action: 'missed_events', id: null, details: {}, ts: this.#moment() }
    return format({ id: this.#lastId, event }, 'user')
  }

  #moment(): string {
    return new Date(this.#timers.now()).toISOString()
  }

  #planHeartbeat(): void {
    this.#cancelHeartbeat = this.#timers.after(this.#limits.heartbeatMs, () => {
      for (const [listener, subscriber] of this.#open) void this.#beat(listener, subscriber)
      this.#planHeartbeat()
    })
  }

  async #beat(listener: Listener, { role, roleNow }: Subscriber): Promise<void> {
    const now = await roleNow().catch(() => undefined)
    // With another role the browser connects anew, and is told what that role may know.
    if (now === role) listener.keepAlive()
    else listener.finish()
  }
}

function bounded(event: SiteEvent): SiteEvent {
  if (Buffer.byteLength(JSON.stringify(event)) <= largestEvent) return event
  return { ...event, details: { truncated: true } }
}

function format({ id, event }: Numbered, role: Role): string {
  const view = eventView(event, role)
  return view === undefined ? '' : `id: ${id}\ndata: ${JSON.stringify(view)}\n\n`
}
