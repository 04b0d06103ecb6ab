import type { Timers } from '@hearth/runtime'

/** Silences after which an object counts as unanswered: for one that never answered, and for one that did. */
const enoughSilences = { unknown: 2, known: 3 } as const

/** Time for which an object is left out, at first and at most after further silences; milliseconds. */
const firstPauseMs = 300_000
const maxPauseMs = 21_600_000

/** An object that the device's firmware does not answer. */
interface LeftOut {
  readonly objectId: number
  /** Wall clock, milliseconds, when it was found out. */
  readonly since: number
  /** Wall clock, milliseconds, when it is requested again. */
  readonly retryAt: number
  /** Monotonic milliseconds. */
  readonly until: number
  readonly pauseMs: number
}

/**
 * Learns which objects the firmware of one device does not answer. Silence alone may be a device that is off, so it only
 * counts against an object when the device answers something else afterwards.
 */
export class UnansweredObjects {
  readonly #timers: Timers
  /** Silences since the device last answered anything, of one object: with two silent in a row it is the device. */
  #pending: { objectId: number; count: number } | undefined
  readonly #silences = new Map<number, number>()
  readonly #answered = new Set<number>()
  readonly #leftOut = new Map<number, LeftOut>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** Records that the object was requested and not answered in time. */
  recordSilence(objectId: number): void {
    const before = this.#pending?.objectId === objectId ? this.#pending.count : 0
    this.#pending = { objectId, count: before + 1 }
  }

  /** The device answered. */
  recordAnswer(objectId: number): void {
    const pending = this.#pending
    this.#pending = undefined
    this.#silences.delete(objectId)
    this.#leftOut.delete(objectId)
    this.#answered.add(objectId)
    if (pending !== undefined && pending.objectId !== objectId) this.#count(pending.objectId, pending.count)
  }

  /** Returns true if the object was the last one read and was not answered: another one is read instead, which shows whether the device answers at all. */
  isDoubtful(objectId: number): boolean {
    return this.#pending?.objectId === objectId
  }

  /** Returns true if the object is not read at present. */
  isLeftOut(objectId: number): boolean {
    const found = this.#leftOut.get(objectId)
    return found !== undefined && this.#timers.monotonic() < found.until
  }

  /** The objects that are left out or wait for their next attempt, in the order they were found. */
  list(): readonly LeftOut[] {
    return [...this.#leftOut.values()]
  }

  find(objectId: number): LeftOut | undefined {
    return this.#leftOut.get(objectId)
  }

  /** Another firmware or another device answers now: nothing is known of it. */
  forget(): void {
    this.#pending = undefined
    for (const memory of [this.#silences, this.#answered, this.#leftOut]) memory.clear()
  }

  #count(objectId: number, count: number): void {
    const silences = (this.#silences.get(objectId) ?? 0) + count
    this.#silences.set(objectId, silences)
    const enough = this.#answered.has(objectId) ? enoughSilences.known : enoughSilences.unknown
    if (this.#leftOut.has(objectId) || silences >= enough) this.#leaveOut(objectId)
  }

  #leaveOut(objectId: number): void {
    const before = this.#leftOut.get(objectId)
    const pauseMs = before === undefined ? firstPauseMs : Math.min(maxPauseMs, 2 * before.pauseMs)
    const now = this.#timers.now()
    const until = this.#timers.monotonic() + pauseMs
    this.#leftOut.set(objectId, { objectId, since: before?.since ?? now, retryAt: now + pauseMs, until, pauseMs })
  }
}
