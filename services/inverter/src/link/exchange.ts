import type { Timers } from '@hearth/runtime'
import type { Command } from '../protocol/command.ts'
import { encodeFrame, type Frame } from '../protocol/frame.ts'
import type { Subject } from './arrivals.ts'
import { LinkError, type LinkFailure } from './link-errors.ts'
import type { LinkTiming, RequestOptions } from './link-options.ts'
import type { Priority } from './send-queue.ts'

/** Number of times a read is sent again because its answer was damaged. */
const maxRepeats = 2

/** Outcome of an exchange: its failure, or null when it worked. */
export type Outcome = LinkFailure | null

/** Dependencies of an exchange. */
export interface ExchangeOptions {
  readonly request: Request
  readonly timers: Timers
  readonly timing: LinkTiming
  /** Hands the bytes to the connection; resolves when they have left. */
  readonly send: (request: Request) => Promise<void>
  /** Exactly once, after the request was settled. */
  readonly onEnd: (outcome: Outcome) => void
}

/** One request from its sending to its answer. There is never more than one of these at work on a connection. */
export class Exchange {
  readonly #options: ExchangeOptions
  #isOver = false
  #isDamaged = false
  #repeats = 0
  #cancelDeadline: (() => void) | undefined
  #cancelSilence: (() => void) | undefined

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  /** Sends. Separate from the constructor, so that the owner has the exchange before it can end. */
  begin(): void {
    void this.#send()
  }

  /** Subject of the expected answer; undefined for a write, which is not answered. */
  get expected(): Subject | undefined {
    return this.request.kind === 'write' ? undefined : this.request
  }

  get request(): Request {
    return this.#options.request
  }

  /** The answer is there. */
  answer(payload: Uint8Array): void {
    if (!this.#finish()) return
    this.#options.request.resolve(payload)
    this.#options.onEnd(null)
  }

  fail(failure: LinkFailure, retryAfterSeconds?: number): void {
    if (!this.#finish()) return
    this.#options.request.reject(new LinkError(failure, { sent: true, retryAfterSeconds }))
    this.#options.onEnd(failure)
  }

  /** A frame was damaged that may have been the answer. */
  recordDamage(): void {
    this.#isDamaged = true
    this.#awaitSilence()
  }

  recordBytes(): void {
    if (this.#isDamaged) this.#awaitSilence()
  }

  async #send(): Promise<void> {
    const { request, send, timers, timing } = this.#options
    try {
      await send(request)
    } catch {
      this.fail('unreachable')
      return
    }
    if (this.#isOver) return
    if (request.kind === 'write') this.answer(new Uint8Array(0))
    // The timeout starts when the request has left, not when it was queued.
    else this.#cancelDeadline = timers.after(timing.readMs, () => this.fail('timeout'))
  }

  #awaitSilence(): void {
    const { timers, timing } = this.#options
    this.#cancelSilence?.()
    if (!this.#isOver && this.expected !== undefined)
      this.#cancelSilence = timers.after(timing.repeatMs, () => this.#repeatOrGiveUp())
  }

  /** Only a read may be sent twice: what a write or a query does a second time is not known. */
  #repeatOrGiveUp(): void {
    this.#isDamaged = false
    if (this.request.kind !== 'read' || this.#repeats === maxRepeats) {
      this.fail('protocol')
      return
    }
    this.#repeats += 1
    this.#cancelDeadline?.()
    void this.#send()
  }

  /** False when it was over already. */
  #finish(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#cancelDeadline?.()
    this.#cancelSilence?.()
    return true
  }
}

/** Kind of a request. A write is not answered; a query is a write that is. */
export type RequestKind = 'read' | 'query' | 'write' | 'register'

const commands: Readonly<Record<RequestKind, Command>> = {
  read: 'read',
  query: 'write',
  write: 'write',
  register: 'read-periodically',
}

/** A request to send. */
export interface Request extends Subject {
  readonly kind: RequestKind
  readonly priority: Priority
  /** The only connection it may be sent on; undefined for any. */
  readonly epoch: number | undefined
  /** Called before it is sent; throws to forbid it. */
  readonly check: (() => void) | undefined
  readonly frame: Frame
  readonly bytes: Uint8Array
  readonly resolve: (payload: Uint8Array) => void
  readonly reject: (error: unknown) => void
}

/** Contents of a request. */
export type RequestInput = RequestOptions & Pick<Subject, 'objectId'> & { readonly payload?: Uint8Array }

/** Creates a request and the promise it settles. Throws a RangeError for what no frame can carry. */
export function createRequest(kind: RequestKind, wanted: RequestInput) {
  const { objectId, address, priority, epoch, check, payload = new Uint8Array(0) } = wanted
  const frame: Frame = { command: commands[kind], address, objectId, payload }
  const bytes = encodeFrame(frame)
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const request: Request = { kind, objectId, address, priority, epoch, check, frame, bytes, resolve, reject }
  return { request, answer: promise }
}

/** Returns true for a request that may go out on the connection; rejects one that is meant for another or forbidden by now. */
export function mayLeave({ epoch, check, reject }: Request, connection: number): boolean {
  try {
    if (epoch !== undefined && epoch !== connection) throw new LinkError('unreachable')
    check?.()
    return true
  } catch (error) {
    reject(error)
    return false
  }
}
