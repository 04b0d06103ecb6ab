import type { Readable } from 'node:stream'
import { systemTimers, type Timers } from '@hearth/runtime'
import { createLocalBus, type EventBus } from './bus.ts'
import { Ring, type NumberedEvent } from './ring.ts'
import { Subscription } from './subscription.ts'

/**
 * Reason why the server ends a stream: the subscriber does not read (`lagging`), events were lost on the way (`gap`), access
 * has ended (`denied`), or the service stops (`closing`).
 */
export type StreamEnd = 'lagging' | 'gap' | 'denied' | 'closing'

/** A subscriber of an event stream. */
export interface Subscriber<Event> {
  /** The client or session that `maxPerOwner` counts streams of. */
  readonly owner: string
  readonly userId?: string
  /** `Last-Event-ID`: number of the last event received before the connection was lost. Given only where streams resume. */
  readonly lastEventId?: string | undefined
  /**
   * Makes the first message of a stream that cannot continue: the state, or advice to read it. `hasMissed` is true when the
   * subscriber has a last event and what came after it is not known any more. Undefined for no message.
   */
  readonly greet?: (hasMissed: boolean, lastId: number) => object | undefined | Promise<object>
  /** Returns the event as this subscriber may see it; undefined when it may not. */
  readonly view: (event: Event, id: number) => object | undefined
  /** Checked at every heartbeat; the stream ends when it rejects or returns false. */
  readonly isAllowed: () => Promise<boolean>
  /** Makes the last message of a stream that the server ends; `id` is undefined for one without. */
  readonly farewell?: (reason: StreamEnd, lastId: number) => { readonly id?: number; readonly data: object }
}

/** Bounds of an event stream and where its events come from. */
export interface EventStreamOptions<Event> {
  /** Default: events of this process only, numbered from the current time. */
  readonly bus?: EventBus<Event>
  /** Streams that may be open, in total and of one owner. */
  readonly maxStreams?: number
  readonly maxPerOwner?: number
  /** Messages and bytes that may wait for a subscriber that does not read. */
  readonly maxQueued?: { readonly messages?: number; readonly bytes?: number }
  /** Events kept for subscribers that come back; 0 where streams do not resume. */
  readonly remembered?: number
  readonly heartbeatMs?: number
  /** Comment of a heartbeat. */
  readonly heartbeat?: string
  /** Text in front of the first message. */
  readonly preamble?: string
  readonly timers?: Timers
}

/**
 * A source of server-sent events with many subscribers. Every message has an ascending number as its id. A subscriber that
 * comes back with the number of its last event receives what it missed; one that cannot continue is greeted instead. One that
 * does not read is cut off instead of filling the memory.
 */
export class EventStream<Event> {
  readonly #options: EventStreamOptions<Event>
  readonly #bus: EventBus<Event>
  readonly #ring: Ring<Event>
  readonly #open = new Map<Subscription, Subscriber<Event>>()
  readonly #unsubscribe: () => void
  #cancelHeartbeat: () => void = () => undefined

  constructor(options: EventStreamOptions<Event> = {}) {
    this.#options = options
    this.#bus = options.bus ?? createLocalBus()
    this.#ring = new Ring(options.remembered ?? 0, this.#bus.lastId)
    this.#unsubscribe = this.#bus.subscribe(
      (event, id) => this.#send(event, id),
      () => {
        this.#ring.forget()
        this.#endAll('gap')
      },
    )
    this.#planHeartbeat()
  }

  /** Sends an event to every subscriber. Never throws and never waits. */
  publish(event: Event): void {
    this.#bus.publish(event)
  }

  /** Opens a stream; undefined when too many are open, in total or of this owner. */
  async subscribe(subscriber: Subscriber<Event>): Promise<Readable | undefined> {
    const { maxStreams = 200, maxPerOwner = Infinity, maxQueued } = this.#options
    const own = [...this.#open.values()].filter(({ owner }) => owner === subscriber.owner)
    if (this.#open.size >= maxStreams || own.length >= maxPerOwner) return undefined
    const subscription = new Subscription({ messages: Infinity, bytes: 1_048_576, ...maxQueued })
    this.#open.set(subscription, subscriber)
    subscription.on('close', () => this.#open.delete(subscription))
    const { lastEventId } = subscriber
    const missed = lastEventId === undefined ? undefined : this.#ring.after(lastEventId)
    if (missed === undefined) await this.#greet(subscription, subscriber)
    else subscription.open(this.#preamble + replay(missed, subscriber))
    return subscription
  }

  /** Ends streams whose subscribers may no longer listen. */
  end(isMeant: (subscriber: Subscriber<Event>) => boolean): void {
    for (const [subscription, subscriber] of this.#open) if (isMeant(subscriber)) this.#end(subscription, 'denied')
  }

  /** Number of open streams. */
  get size(): number {
    return this.#open.size
  }

  close(): void {
    this.#cancelHeartbeat()
    this.#unsubscribe()
    this.#endAll('closing')
  }

  #send(event: Event, id: number): void {
    this.#ring.add(event, id)
    for (const [subscription, subscriber] of this.#open) {
      if (!subscription.isLive) continue
      const view = subscriber.view(event, id)
      if (view !== undefined && !subscription.send(format(view, id))) this.#end(subscription, 'lagging')
    }
  }

  get #preamble(): string {
    return this.#options.preamble ?? 'retry: 2000\n'
  }

  /** Opens a stream with its first message and the events published while it was prepared. */
  async #greet(subscription: Subscription, subscriber: Subscriber<Event>): Promise<void> {
    const { lastId, count } = this.#ring
    const open = (greeting: object | undefined, missed: string) =>
      subscription.open(this.#preamble + (greeting === undefined ? '' : format(greeting, lastId)) + missed)
    const greeting = subscriber.greet?.(subscriber.lastEventId !== undefined, lastId)
    // Without a wait the stream is open when `subscribe` returns.
    if (!(greeting instanceof Promise)) return open(greeting, '')
    try {
      const state = await greeting
      const missed = this.#ring.since(count)
      if (missed === undefined) this.#end(subscription, 'lagging')
      else open(state, replay(missed, subscriber))
    } catch (error) {
      subscription.destroy()
      throw error
    }
  }

  #endAll(reason: StreamEnd): void {
    for (const subscription of this.#open.keys()) this.#end(subscription, reason)
  }

  #end(subscription: Subscription, reason: StreamEnd): void {
    const last = this.#open.get(subscription)?.farewell?.(reason, this.#ring.lastId)
    const text = last === undefined ? '' : format(last.data, last.id)
    if (reason === 'lagging') subscription.cut(text)
    else subscription.finish(text)
  }

  #planHeartbeat(): void {
    const { timers = systemTimers, heartbeatMs = 15_000 } = this.#options
    this.#cancelHeartbeat = timers.after(heartbeatMs, () => {
      for (const [subscription, subscriber] of this.#open) void this.#beat(subscription, subscriber)
      this.#planHeartbeat()
    })
  }

  async #beat(subscription: Subscription, subscriber: Subscriber<Event>): Promise<void> {
    const isAllowed = await subscriber.isAllowed().catch(() => false)
    if (isAllowed) subscription.comment(this.#options.heartbeat ?? 'still here')
    else this.#end(subscription, 'denied')
  }
}

const format = (data: object, id: number | undefined): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

function replay<Event>(events: readonly NumberedEvent<Event>[], subscriber: Subscriber<Event>): string {
  return events
    .map(({ id, event }) => ({ id, view: subscriber.view(event, id) }))
    .map(({ id, view }) => (view === undefined ? '' : format(view, id)))
    .join('')
}
