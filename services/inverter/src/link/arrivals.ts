import type { Timers } from '@hearth/runtime'
import type { Frame } from '../protocol/frame.ts'
import { classifyFrame, isResponse, type Arrival, type Subject } from './classify-frame.ts'
import { ForeignAccess } from './foreign-access.ts'

/** Time after a write in which a response about the same object counts as its confirmation, milliseconds. */
const confirmationMs = 5000

/** Counts of what arrived so far. */
export interface ArrivalStatus {
  readonly framesReceived: number
  readonly unexpectedFrames: number
  readonly foreignAccessSuspected: boolean
  /** Wall clock, milliseconds; null before the first. */
  readonly lastFrameAt: number | null
}

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

  noteWritten({ objectId, address }: Subject): void {
    this.#written = { subject: { objectId, address }, until: this.#timers.monotonic() + confirmationMs }
  }

  /** Counts a frame and tells what it is, given what is asked at the moment. */
  sort(frame: Frame, asked: Subject | undefined): Arrival {
    const now = this.#timers.monotonic()
    this.#received += 1
    this.#lastAt = this.#timers.now()
    const written = this.#written !== undefined && now < this.#written.until ? this.#written.subject : undefined
    const isRegistered = (subject: Subject) => this.#registered.get(subject.address)?.has(subject.objectId) === true
    const arrival = classifyFrame(frame, { asked, written, isRegistered })
    if (arrival === 'unexpected') {
      this.#unexpected += 1
      this.#foreign.note(now, isResponse(frame))
    }
    return arrival
  }

  /** Returns true if so much traffic of others arrives that a new connection is worth trying; once for the same traffic. */
  isUnbearable(): boolean {
    const isUnbearable = this.#foreign.isUnbearable(this.#timers.monotonic())
    if (isUnbearable) this.#foreign.forgetRequests()
    return isUnbearable
  }

  status(): ArrivalStatus {
    return {
      framesReceived: this.#received,
      unexpectedFrames: this.#unexpected,
      foreignAccessSuspected: this.#foreign.isSuspected(this.#timers.monotonic()),
      lastFrameAt: this.#lastAt,
    }
  }
}
