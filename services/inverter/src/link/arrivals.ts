import type { Timers } from '@hearth/runtime'
import type { Frame } from '../protocol/frame.ts'

/** Time after a write in which a response about the same object counts as its confirmation, milliseconds. */
const confirmationMs = 5000

/** Sorts the frames that arrive and keeps count of them. */
export class Arrivals {
  readonly #timers: Timers
  readonly #foreign = new ForeignAccess()
  readonly #registered = new Map<number | undefined, ReadonlySet<number>>()
  #written: { subject: Subject; until: number } | undefined
  #received = 0
  #unexpected = 0
  #lastAt: number | null = null

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** Sets the objects that a device sends by itself from now on. */
  setRegistered(address: number | undefined, objectIds: ReadonlySet<number>): void {
    this.#registered.set(address, objectIds)
  }

  recordWrite({ objectId, address }: Subject): void {
    this.#written = { subject: { objectId, address }, until: this.#timers.monotonic() + confirmationMs }
  }

  /** Counts a frame and returns its class; `expected` is the subject of the request in flight. */
  sort(frame: Frame, expected: Subject | undefined): Arrival {
    const now = this.#timers.monotonic()
    this.#received += 1
    this.#lastAt = this.#timers.now()
    const written = this.#written !== undefined && now < this.#written.until ? this.#written.subject : undefined
    const isRegistered = (subject: Subject) => this.#registered.get(subject.address)?.has(subject.objectId) === true
    const arrival = classifyFrame(frame, { expected, written, isRegistered })
    if (arrival === 'unexpected') {
      this.#unexpected += 1
      this.#foreign.note(now, isResponse(frame))
    }
    return arrival
  }

  /** Returns true if so much traffic of others arrives that a new connection is worth trying; once for the same traffic. */
  isExcessive(): boolean {
    const isExcessive = this.#foreign.isExcessive(this.#timers.monotonic())
    if (isExcessive) this.#foreign.forgetRequests()
    return isExcessive
  }

  status() {
    return {
      framesReceived: this.#received,
      unexpectedFrames: this.#unexpected,
      foreignAccessSuspected: this.#foreign.isSuspected(this.#timers.monotonic()),
      /** Wall clock, milliseconds; null before the first. */
      lastFrameAt: this.#lastAt,
    }
  }
}

/** Subject of a frame: an object of one device. */
export interface Subject {
  readonly objectId: number
  /** Network id; undefined for the device at the other end. */
  readonly address: number | undefined
}

/** Facts that an arriving frame is classified by. */
interface Expectation {
  /** Subject of the request in flight, if there is one. */
  readonly expected: Subject | undefined
  /** Subject of a recent write: devices do not confirm writes, but one that did would be no foreign client. */
  readonly written: Subject | undefined
  /** Returns true if the object is registered, so that the device sends it by itself. */
  readonly isRegistered: (subject: Subject) => boolean
}

/** Class of an arriving frame on a link with at most one request in flight. */
type Arrival = 'answer' | 'registered' | 'confirmation' | 'unexpected'

/** Returns true if the frame came from a device. */
function isResponse({ command }: Frame): boolean {
  return command === 'response' || command === 'long-response'
}

/**
 * Classifies a frame. Only a response about the very object and device of the request is its answer, so that values of
 * other objects, which another client may have requested, are never mixed up with it.
 */
export function classifyFrame(frame: Frame, { expected, written, isRegistered }: Expectation): Arrival {
  if (!isResponse(frame)) return 'unexpected'
  if (isAbout(frame, expected)) return 'answer'
  if (isRegistered(frame)) return 'registered'
  return isAbout(frame, written) ? 'confirmation' : 'unexpected'
}

function isAbout(frame: Frame, subject: Subject | undefined): boolean {
  return subject !== undefined && frame.objectId === subject.objectId && frame.address === subject.address
}

const windowMs = 60_000
const suspicious = 10
const excessive = 50

/**
 * Watches for unsolicited frames: signs of another client at the same device, because the device sends everything to
 * everyone. Timestamps are monotonic milliseconds. Keeps a bounded number of them.
 */
export class ForeignAccess {
  /** Timestamps of the latest unexpected frames, and of those among them that are no answers: requests of another client. */
  #unexpected: number[] = []
  #requests: number[] = []

  note(at: number, isResponse: boolean): void {
    this.#unexpected = [...this.#unexpected, at].slice(-suspicious)
    if (!isResponse) this.#requests = [...this.#requests, at].slice(-(excessive + 1))
  }

  /** Ten or more unexpected frames within the last minute. */
  isSuspected(now: number): boolean {
    return this.#unexpected.length === suspicious && now - (this.#unexpected[0] ?? 0) <= windowMs
  }

  /** More than fifty frames within the last minute that only a client would send: a new connection may end an echo. */
  isExcessive(now: number): boolean {
    return this.#requests.length > excessive && now - (this.#requests[0] ?? 0) <= windowMs
  }

  /** Forgets the requests of others, because a new connection begins. */
  forgetRequests(): void {
    this.#requests = []
  }
}
