import { Readable } from 'node:stream'

/** Bounds of the queue of a subscriber that does not read. */
export interface QueueBound {
  readonly messages: number
  readonly bytes: number
}

/** Time that an ended stream has to deliver what is queued, milliseconds. */
const drainTime = 5000

/** The stream of one subscriber: a bounded queue in front of a connection that reads as fast as it can. */
export class Subscription extends Readable {
  readonly #bound: QueueBound
  #opening = ''
  #queue: string[] = []
  #queued = 0
  #isLive = false
  #isWanted = false
  #isFinished = false
  #isOver = false

  constructor(bound: QueueBound) {
    super({ highWaterMark: Math.min(16_384, bound.bytes) })
    this.#bound = bound
    this.on('error', () => undefined)
  }

  override _read(): void {
    this.#isWanted = true
    this.#drain()
  }

  /** True once the opening was sent; no events go to a stream before that. */
  get isLive(): boolean {
    return this.#isLive
  }

  /** Sends what comes before everything else. It does not count as queued, whatever its size. */
  open(text: string): void {
    if (this.#isFinished) return
    this.#opening = text
    this.#isLive = true
    this.#drain()
  }

  /** Queues a message; false when too much waits already. */
  send(text: string): boolean {
    if (this.#isFinished) return true
    if (this.#queue.length >= this.#bound.messages || this.#queued > this.#bound.bytes) return false
    this.#queue.push(text)
    this.#queued += text.length
    this.#drain()
    return true
  }

  /** Keeps proxies from closing a quiet stream; a busy one needs no comment. */
  comment(text: string): void {
    if (this.#isLive && this.#queue.length === 0) this.send(`: ${text}\n\n`)
  }

  /** Ends the stream after what is queued and a last message. */
  finish(text: string): void {
    if (this.#isFinished) return
    this.#isFinished = true
    if (text !== '') this.#queue.push(text)
    this.#drain()
    setTimeout(() => this.destroy(), drainTime).unref()
  }

  /** Drops what is queued and ends the stream, with a last message or at once. */
  cut(text: string): void {
    this.#opening = ''
    this.#queue = []
    if (text === '') this.destroy()
    else this.finish(text)
  }

  #drain(): void {
    while (this.#isWanted) {
      const text = this.#take()
      if (text === undefined) break
      this.#isWanted = this.push(text)
    }
    if (!this.#isFinished || this.#isOver || this.#opening !== '' || this.#queue.length > 0) return
    this.#isOver = true
    this.push(null)
  }

  #take(): string | undefined {
    if (this.#opening !== '') {
      const text = this.#opening
      this.#opening = ''
      return text
    }
    const text = this.#queue.shift()
    this.#queued -= text?.length ?? 0
    return text
  }
}
