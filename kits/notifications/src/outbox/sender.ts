import type { Log, Timers } from '@hearth/runtime'
import type { Outcome } from '../channels/outcome.ts'
import type { Destinations } from '../destinations/destinations.ts'
import type { Target } from '../destinations/target.ts'
import type { Envelope } from '../message.ts'
import type { Db, DestinationRow } from '../tables.ts'
import type { Claim, Outbox } from './outbox.ts'
import { nextDueAt } from './store.ts'

export interface SenderDependencies {
  readonly db: Db
  readonly outbox: Outbox
  readonly destinations: Pick<Destinations, 'targetOf' | 'recordAttempt'>
  readonly send: (target: Target, envelope: Envelope, signal: AbortSignal) => Promise<Outcome>
  readonly timers: Timers
  readonly log: Log
  /** Called with the end of each attempt. */
  readonly onOutcome: (kind: DestinationRow['kind'], outcome: 'delivered' | 'retried' | 'given_up') => void
}

/** Destinations that are sent to at the same time. */
const maxConcurrent = 4
/** Longest time between two looks at what is due: another process may have added something. */
const lookMs = 30_000
/** Time that attempts may take to end when the service stops. */
const closingMs = 5000

/** Sends what is due, one message at a time to each destination. Several processes may share the database. */
export class Sender {
  readonly #dependencies: SenderDependencies
  readonly #closing = new AbortController()
  readonly #attempts = new Set<Promise<void>>()
  #claiming: Promise<void> | undefined
  #isWoken = false
  #isStarted = false
  #isClosed = false
  #cancelLook: () => void = () => undefined

  constructor(dependencies: SenderDependencies) {
    this.#dependencies = dependencies
  }

  /** Begins to send; nothing is sent before. */
  start(): void {
    this.#isStarted = true
    this.wake()
  }

  /** Looks at once for something due. */
  wake(): void {
    this.#isWoken = true
    if (!this.#isStarted || this.#isClosed || this.#claiming !== undefined) return
    this.#cancelLook()
    this.#claiming = this.#claimAll().finally(() => {
      this.#claiming = undefined
      if (this.#isWoken) this.wake()
    })
  }

  /** Stops claiming and waits a moment for attempts to end; one that does not is made again after the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelLook()
    await this.#claiming
    const cancel = this.#dependencies.timers.after(closingMs, () => this.#closing.abort())
    await Promise.all(this.#attempts)
    cancel()
  }

  async #claimAll(): Promise<void> {
    const { outbox, timers, log } = this.#dependencies
    let lookIn = lookMs
    try {
      while (this.#isWoken && !this.#isClosed) {
        this.#isWoken = false
        while (this.#attempts.size < maxConcurrent) {
          const claim = await outbox.claim()
          if (claim === undefined) break
          this.#begin(claim)
        }
      }
      lookIn = await this.#untilNext()
    } catch (error) {
      log.warn({ err: error }, 'the notifications that are due could not be read')
    }
    if (!this.#isClosed) this.#cancelLook = timers.after(lookIn, () => this.wake())
  }

  async #untilNext(): Promise<number> {
    const { db, timers } = this.#dependencies
    const now = timers.now()
    const due = await nextDueAt(db, now)
    return due === undefined ? lookMs : Math.min(lookMs, Math.max(1000, due - now))
  }

  #begin(claim: Claim): void {
    const attempt = this.#attempt(claim)
      .catch((error: unknown) => this.#dependencies.log.warn({ err: error }, 'a notification could not be settled'))
      .finally(() => {
        this.#attempts.delete(attempt)
        this.wake()
      })
    this.#attempts.add(attempt)
  }

  async #attempt(claim: Claim): Promise<void> {
    const { destinations, send, outbox, onOutcome } = this.#dependencies
    const { destination, envelope } = claim
    const outcome = await send(destinations.targetOf(destination), envelope, this.#closing.signal)
    if (this.#closing.signal.aborted && outcome.kind !== 'delivered') return outbox.release(claim)
    if (outcome.kind === 'delivered') {
      await outbox.delivered(claim)
      onOutcome(destination.kind, 'delivered')
    } else {
      const state = await this.#settleFailure(claim, outcome)
      onOutcome(destination.kind, state === 'dead' ? 'given_up' : 'retried')
    }
    await destinations.recordAttempt(destination.id, outcome.kind === 'delivered' ? null : outcome.detail)
  }

  async #settleFailure(claim: Claim, outcome: Exclude<Outcome, { kind: 'delivered' }>): Promise<'waiting' | 'dead'> {
    const { outbox, log } = this.#dependencies
    const { detail } = outcome
    const state =
      outcome.kind === 'refused'
        ? await outbox.giveUp(claim, detail)
        : await outbox.failed(claim, detail, outcome.retryAfterMs)
    const { name } = claim.destination
    if (state === 'dead') log.warn({ destination: name, attempts: claim.attempts, detail }, 'notification given up')
    return state
  }
}
