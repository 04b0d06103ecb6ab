import { PassThrough, type Readable } from 'node:stream'

/** One listener's end of the stream. */
export interface Subscription {
  readonly stream: Readable
}

/** Who listens, and what of each event they are told. */
export interface Listener<Event> {
  /** The caller the stream belongs to; `dropListeners` finds it by this. */
  readonly owner: string
  /** The event as this listener may see it, or undefined for not at all. */
  readonly view: (event: Event) => Event | undefined
  /** Asked at every heartbeat; a stream whose owner may no longer listen ends. */
  readonly stillAllowed: () => Promise<boolean>
}

/** One source of server-sent events with many listeners. */
export interface EventStream<Event> {
  /** Starts a stream with a first event, or returns undefined when too many listen already. */
  subscribe(listener: Listener<Event>, first: Event): Subscription | undefined
  publish(event: Event): void
  /** Ends the streams of an owner at once. */
  dropListeners(owner: string): void
  readonly listeners: number
  close(): void
}

/** Bounds of a stream; the defaults suit a house server. */
export interface EventStreamOptions {
  readonly maximum?: number
  readonly backlogBytes?: number
  readonly heartbeatMs?: number
}

/**
 * Sends events as `text/event-stream` with ascending ids. A listener that does not read is cut off when `backlogBytes` wait
 * for it, instead of filling the memory; its browser connects again and reads the state afresh. A comment every
 * `heartbeatMs` keeps proxies from closing a quiet stream.
 */
export function createEventStream<Event>(options: EventStreamOptions = {}): EventStream<Event> {
  return new Streams<Event>(options)
}

class Streams<Event> implements EventStream<Event> {
  readonly #open = new Map<PassThrough, Listener<Event>>()
  readonly #maximum: number
  readonly #backlogBytes: number
  readonly #heart: NodeJS.Timeout
  #lastId = 0

  constructor({ maximum = 200, backlogBytes = 1_048_576, heartbeatMs = 15_000 }: EventStreamOptions) {
    this.#maximum = maximum
    this.#backlogBytes = backlogBytes
    this.#heart = setInterval(() => {
      for (const [stream, listener] of this.#open) void this.#beat(stream, listener)
    }, heartbeatMs)
    this.#heart.unref()
  }

  subscribe(listener: Listener<Event>, first: Event): Subscription | undefined {
    if (this.#open.size >= this.#maximum) return undefined
    const stream = new PassThrough({ highWaterMark: this.#backlogBytes })
    this.#open.set(stream, listener)
    stream.on('close', () => this.#open.delete(stream))
    stream.on('error', () => undefined)
    this.#write(stream, `retry: 2000\n${this.#format(first)}`)
    return { stream }
  }

  publish(event: Event): void {
    this.#lastId += 1
    for (const [stream, listener] of this.#open) {
      const view = listener.view(event)
      if (view !== undefined) this.#write(stream, this.#format(view))
    }
  }

  dropListeners(owner: string): void {
    for (const [stream, listener] of this.#open) if (listener.owner === owner) stream.end()
  }

  get listeners(): number {
    return this.#open.size
  }

  close(): void {
    clearInterval(this.#heart)
    for (const stream of this.#open.keys()) stream.end()
  }

  #write(stream: PassThrough, text: string): void {
    if (stream.writableLength + stream.readableLength > this.#backlogBytes) stream.destroy()
    else stream.write(text)
  }

  #format(event: Event): string {
    return `id: ${this.#lastId}\ndata: ${JSON.stringify(event)}\n\n`
  }

  async #beat(stream: PassThrough, listener: Listener<Event>): Promise<void> {
    const allowed = await listener.stillAllowed().catch(() => false)
    if (allowed) this.#write(stream, ': still here\n\n')
    else stream.end()
  }
}
