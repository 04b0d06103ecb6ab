import { Readable } from 'node:stream'
import { addressGroup } from '@hearth/http'
import type { EventBus } from './bus.ts'
import type { NumberedEvent } from './schema.ts'

/** Bounds of the streams: the specification's "Limits", and 10 a client so that one cannot take them all. */
export interface StreamLimits {
  readonly mostStreams: number
  readonly mostForOne: number
  readonly longestQueue: number
  readonly keepAliveMs: number
  /** How many events are remembered for clients that come back. */
  readonly remembered: number
}

export const streamLimits: StreamLimits = {
  mostStreams: 200,
  mostForOne: 10,
  longestQueue: 32,
  keepAliveMs: 5000,
  remembered: 1000,
}

/** One who wants to hear. */
export interface Subscriber {
  readonly address: string
  /** Only events of this job. */
  readonly jobId?: string
  /** The last message it got before it lost its connection. */
  readonly lastEventId?: string | undefined
  /** The state of things, for one that begins anew; undefined when what it asks for is not there. */
  readonly snapshot: () => Promise<object>
  /** Asked at every keep-alive; a stream whose owner may no longer listen ends. */
  readonly isAllowed: () => Promise<boolean>
}

/** The event streams of one process. */
export interface EventStreams {
  /** Undefined when too many listen already, in all or from this client. */
  open(subscriber: Subscriber): Promise<Readable | undefined>
  readonly count: number
  close(): void
}

/** Sends what the bus carries to every subscriber, from a memory of the last events for those who come back. */
export function createEventStreams(bus: EventBus, limits: StreamLimits = streamLimits): EventStreams {
  return new Streams(bus, limits)
}

class Streams implements EventStreams {
  readonly #limits: StreamLimits
  readonly #open = new Map<Listener, Subscriber>()
  readonly #memory: NumberedEvent[] = []
  readonly #heart: NodeJS.Timeout
  readonly #unsubscribe: () => void
  #lastSeq = 0

  constructor(bus: EventBus, limits: StreamLimits) {
    this.#limits = limits
    this.#unsubscribe = bus.subscribe((event) => this.#spread(event))
    this.#heart = setInterval(() => {
      for (const [listener, subscriber] of this.#open) void this.#beat(listener, subscriber)
    }, limits.keepAliveMs).unref()
  }

  async open(subscriber: Subscriber): Promise<Readable | undefined> {
    const group = addressGroup(subscriber.address)
    const own = [...this.#open.values()].filter(({ address }) => addressGroup(address) === group)
    if (this.#open.size >= this.#limits.mostStreams || own.length >= this.#limits.mostForOne) return undefined
    const listener = new Listener(this.#limits.longestQueue)
    // Entered before the snapshot is made: what happens meanwhile waits behind it.
    this.#open.set(listener, subscriber)
    listener.on('close', () => this.#open.delete(listener))
    listener.begin('retry: 2000\n\n')
    const missed = this.#missedBy(subscriber)
    try {
      if (missed === undefined) {
        const seq = this.#lastSeq
        listener.begin(format({ ...(await subscriber.snapshot()), seq } as NumberedEvent))
      } else for (const event of missed) listener.begin(format(event))
    } catch (error) {
      listener.destroy()
      throw error
    }
    listener.flow()
    return listener
  }

  get count(): number {
    return this.#open.size
  }

  close(): void {
    clearInterval(this.#heart)
    this.#unsubscribe()
    const event = { type: 'shutdown', job_id: null, seq: this.#lastSeq } as const
    for (const listener of this.#open.keys()) listener.finish(format(event))
  }

  #spread(event: NumberedEvent): void {
    this.#lastSeq = event.seq
    this.#memory.push(event)
    if (this.#memory.length > this.#limits.remembered) this.#memory.shift()
    const text = format(event)
    for (const [listener, subscriber] of this.#open) {
      if (!concerns(event, subscriber.jobId)) continue
      if (!listener.send(text)) {
        const marker = { type: 'resync_required', job_id: subscriber.jobId ?? null, seq: event.seq } as const
        listener.overflow(format(marker))
      }
    }
  }

  /** What a client that comes back has not heard; undefined when that is not known any more. */
  #missedBy({ lastEventId, jobId }: Subscriber): NumberedEvent[] | undefined {
    if (lastEventId === undefined) return undefined
    const position = this.#memory.findIndex(({ seq }) => String(seq) === lastEventId)
    if (position === -1) return lastEventId === String(this.#lastSeq) ? [] : undefined
    return this.#memory.slice(position + 1).filter((event) => concerns(event, jobId))
  }

  async #beat(listener: Listener, subscriber: Subscriber): Promise<void> {
    const isAllowed = await subscriber.isAllowed().catch(() => false)
    if (isAllowed) listener.keepAlive()
    else listener.finish('data: {"type":"authentication_required"}\n\n')
  }
}

function concerns(event: NumberedEvent, jobId: string | undefined): boolean {
  if (jobId === undefined) return true
  if ('id' in event) return event.id === jobId
  return event.job_id === null || event.job_id === jobId
}

const format = (event: NumberedEvent): string => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`

/** How long one that cannot keep up has to take its last message, milliseconds. */
const lastWords = 5000

/** One stream: a short queue in front of a connection that reads as fast as it likes. */
class Listener extends Readable {
  readonly #longest: number
  readonly #first: string[] = []
  #queue: string[] = []
  #isFlowing = false
  #isWanted = false
  #isFinished = false

  constructor(longest: number) {
    super({ highWaterMark: 16_384 })
    this.#longest = longest
  }

  override _read(): void {
    this.#isWanted = true
    this.#drain()
  }

  /** What comes before everything else, whatever its size. */
  begin(text: string): void {
    this.#first.push(text)
  }

  flow(): void {
    this.#queue = [...this.#first, ...this.#queue]
    this.#isFlowing = true
    this.#drain()
  }

  /** False when the queue is full. */
  send(text: string): boolean {
    if (this.#isFinished) return true
    if (this.#queue.length >= this.#longest + (this.#isFlowing ? 0 : this.#longest)) return false
    this.#queue.push(text)
    this.#drain()
    return true
  }

  keepAlive(): void {
    if (this.#queue.length === 0) this.send(': keepalive\n\n')
  }

  /** Gives up on one that cannot keep up: it is told to begin anew, and cut off. */
  overflow(marker: string): void {
    this.#queue = []
    this.finish(marker)
  }

  finish(text: string): void {
    if (this.#isFinished) return
    this.#queue.push(text)
    this.#isFinished = true
    this.#isFlowing = true
    this.#drain()
    setTimeout(() => this.destroy(), lastWords).unref()
  }

  #drain(): void {
    if (!this.#isFlowing) return
    while (this.#isWanted && this.#queue.length > 0) this.#isWanted = this.push(this.#queue.shift())
    if (this.#isFinished && this.#queue.length === 0 && !this.readableEnded) {
      this.#isFlowing = false
      this.push(null)
    }
  }
}
