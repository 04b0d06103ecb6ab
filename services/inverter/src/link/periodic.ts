import type { Log, Timers } from '@hearth/runtime'
import { decodeValue, encodeValue } from '../protocol/wire-value.ts'
import { LinkError } from './link-errors.ts'
import type { Link } from './link.ts'
import type { Priority } from './send-queue.ts'
import type { UnansweredObjects } from './unanswered-objects.ts'

/** The device's one period for everything it sends by itself, an object of its own: seconds, 0 ends all. */
const periodObject = 0x9c8fe559

/** Maximum number of objects that a device sends by itself. */
const maxObjects = 64

/** Milliseconds. */
const firstReadBackMs = 300
const readBackMs = 500
const readBackLimitMs = 3000
const checkMs = 10_000
const firstRetryMs = 10_000
const maxRetryMs = 300_000
const stopMs = 1000

/** Values that a device may leave unanswered before it registers the first one. */
const maxSilent = 3

/** A value is missed when it did not come for so many periods. */
const missedPeriods = 3

/** Options of a registration. */
interface PeriodicOptions {
  readonly link: Link
  readonly address: number | undefined
  /** At most 64. */
  readonly objectIds: readonly number[]
  readonly periodSeconds: number
  /** Objects that are left out because the device's firmware does not answer them; learns from what happens here. */
  readonly unanswered: UnansweredObjects
  /** Called on every connection before anything is written on it. */
  readonly prepare: () => Promise<unknown>
  readonly timers: Timers
  readonly log: Log
  /** Called with every value the device sent by itself, and with the first of each object. */
  readonly onValue: (objectId: number, payload: Uint8Array) => void
}

/** Keeps a device sending values by itself: registers them on every new connection, and again when values stay away. */
export class Periodic {
  readonly #options: PeriodicOptions
  readonly #wanted: ReadonlySet<number>
  readonly #endings: (() => void)[]
  /** Time of the latest value of each registered object, monotonic milliseconds. */
  readonly #seen = new Map<number, number>()
  #isAvailable = false
  #failures = 0
  #lastFailure: string | null = null
  #isRunning = false
  /** The round under way is out of date and must be repeated. */
  #mustRepeat = false
  #isStopped = false
  /** The period was written on this connection, though perhaps no object is registered yet. */
  #isPeriodSet = false
  #cancelNext: (() => void) | undefined
  #cancelCheck: (() => void) | undefined

  /** Throws a RangeError for more objects than a device takes. */
  constructor(options: PeriodicOptions) {
    const { link, address, objectIds } = options
    if (objectIds.length > maxObjects) throw new RangeError(`a device sends at most ${maxObjects} values by itself`)
    this.#options = options
    this.#wanted = new Set(objectIds)
    link.setRegistered(address, this.#wanted)
    this.#endings = [
      link.onValue((from, objectId, payload) => this.#take(from, objectId, payload)),
      link.onConnected(() => this.#begin()),
      link.onDisconnected(() => {
        this.#isPeriodSet = false
        this.#lose()
      }),
      link.onMaintenance((isActive) => (isActive ? this.#lose() : this.#begin())),
    ]
    this.#begin()
    this.#checkLater()
  }

  status() {
    return {
      /** All objects that the device answers are registered on the current connection. */
      available: this.#isAvailable,
      registrations: this.#seen.size,
      /** Rounds that failed in a row. */
      setupFailures: this.#failures,
      /** Reason why the latest failed round failed; null when none has. */
      lastFailure: this.#lastFailure,
    }
  }

  /** Returns true if the device sends the object by itself. */
  isRegistered(objectId: number): boolean {
    return this.#isAvailable && this.#seen.has(objectId)
  }

  /** Registers everything again, after something else changed the period. */
  refresh(): void {
    this.#mustRepeat = true
    this.#lose()
    this.#runAfter(0)
  }

  /** Stops the device from sending and checks that it did, for one second at most. */
  async stop(): Promise<void> {
    if (this.#isStopped) return
    const isSending = this.#isPeriodSet && this.#isReachable()
    this.#isStopped = true
    this.#cancelNext?.()
    this.#cancelCheck?.()
    for (const end of this.#endings) end()
    this.#lose()
    if (!isSending) return
    const { timers } = this.#options
    // A device that does not take it loses its registrations with the connection anyway.
    await Promise.race([this.#setPeriod(0, { priority: 'control', withinMs: stopMs }), timers.delay(2 * stopMs)]).catch(
      () => undefined,
    )
  }

  #isReachable(): boolean {
    return this.#options.link.status().state === 'connected'
  }

  /** A connection is there. After failures it gets some quiet first, however long the wait would have been. */
  #begin(): void {
    this.#runAfter(this.#failures === 0 ? 0 : firstRetryMs)
  }

  #runAfter(ms: number): void {
    if (this.#isStopped) return
    this.#cancelNext?.()
    this.#cancelNext = this.#options.timers.after(ms, () => void this.#run())
  }

  /** One round. While there is no connection there is nothing to do: the next one begins another. */
  async #run(): Promise<void> {
    if (this.#isRunning || this.#isStopped || !this.#isReachable()) return
    this.#isRunning = true
    this.#mustRepeat = false
    this.#seen.clear()
    try {
      await this.#registerAll()
      this.#succeed()
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#isRunning = false
    }
    if (this.#mustRepeat) this.#runAfter(0)
  }

  async #registerAll(): Promise<void> {
    const { link, periodSeconds, prepare } = this.#options
    // The identity matters to others; values are registered even if it cannot be read.
    await prepare().catch(() => undefined)
    const { epoch } = link.status()
    this.#isPeriodSet = true
    await this.#setPeriod(periodSeconds, { priority: 'background', withinMs: readBackLimitMs })
    await this.#registerMissing(epoch)
  }

  /**
   * Registers what is not registered yet. A value without an answer may be one that the firmware does not have; when the
   * first ones are all silent it is a device that does not register.
   */
  async #registerMissing(epoch: number): Promise<void> {
    const { link, unanswered } = this.#options
    const silent: number[] = []
    let inRow = 0
    for (const objectId of this.#wanted) {
      if (this.#seen.has(objectId) || unanswered.isLeftOut(objectId)) continue
      if (this.#isStopped || this.#mustRepeat) return
      if (link.status().epoch !== epoch) throw new Error('the connection was lost during the registration')
      const failure = await this.#register(objectId)
      inRow = failure === undefined ? 0 : inRow + 1
      if (failure !== undefined) silent.push(objectId)
      if (inRow >= maxSilent && this.#seen.size === 0) throw failure
    }
    if (silent.length > 0) await this.#recordSilent(silent)
  }

  /** Silence counts against the objects when the device lives. */
  async #recordSilent(silent: readonly number[]): Promise<void> {
    const { link, address, unanswered } = this.#options
    await link.read(periodObject, { address, priority: 'background' })
    for (const objectId of silent) {
      unanswered.recordSilence(objectId)
      unanswered.recordAnswer(periodObject)
    }
  }

  /** Returns the failure when the device does not answer; throws every other one. */
  async #register(objectId: number): Promise<LinkError | undefined> {
    const { link, address, onValue, timers } = this.#options
    try {
      const payload = await link.register(objectId, { address, priority: 'background' })
      this.#seen.set(objectId, timers.monotonic())
      onValue(objectId, payload)
      return undefined
    } catch (error) {
      if (error instanceof LinkError && error.failure === 'timeout') return error
      throw error
    }
  }

  /** Tries the values again that were not answered, once they are not left out any more. */
  async #retryMissing(): Promise<void> {
    const { link, unanswered, log } = this.#options
    const isMissing = (objectId: number) => !this.#seen.has(objectId) && !unanswered.isLeftOut(objectId)
    if (!this.#isAvailable || this.#isRunning || ![...this.#wanted].some(isMissing)) return
    this.#isRunning = true
    try {
      await this.#registerMissing(link.status().epoch)
    } catch (error) {
      log.debug({ err: error }, 'values that were missing could not be registered')
    } finally {
      this.#isRunning = false
    }
    if (this.#mustRepeat) this.#runAfter(0)
  }

  #succeed(): void {
    if (this.#isStopped || this.#mustRepeat) return
    this.#isAvailable = true
    this.#failures = 0
    this.#options.log.debug({ registrations: this.#seen.size }, 'the device sends values by itself')
  }

  #fail(error: unknown): void {
    if (this.#isStopped || this.#mustRepeat) return
    this.#failures += 1
    this.#lastFailure = error instanceof Error ? error.message : String(error)
    this.#lose()
    if (this.#failures === 1)
      this.#options.log.warn({ reason: this.#lastFailure }, 'periodic reads could not be set up')
    this.#runAfter(Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(this.#failures - 1, 10)))
  }

  /** Writes the period and reads it back until it matches: the device does not answer the write itself. */
  async #setPeriod(seconds: number, { priority, withinMs }: { priority: Priority; withinMs: number }): Promise<void> {
    const { link, address, timers } = this.#options
    await link.write(periodObject, encodeValue('uint32', seconds), { address, priority })
    const begin = timers.monotonic()
    for (let pause = firstReadBackMs; ; pause = readBackMs) {
      await timers.delay(pause)
      const period = decodeValue('uint32', await link.read(periodObject, { address, priority }))
      if (period === seconds) return
      if (timers.monotonic() - begin >= withinMs)
        throw new Error(`the period was set to ${seconds} s and still is ${String(period)} s`)
    }
  }

  #take(from: number | undefined, objectId: number, payload: Uint8Array): void {
    const { address, onValue, timers } = this.#options
    if (from !== address || !this.#wanted.has(objectId)) return
    // Before an object is registered its value answers another client: good, but no sign of registration.
    if (this.#seen.has(objectId)) this.#seen.set(objectId, timers.monotonic())
    onValue(objectId, payload)
  }

  #lose(): void {
    this.#isAvailable = false
    this.#seen.clear()
  }

  #checkLater(): void {
    this.#cancelCheck = this.#options.timers.after(checkMs, () => {
      const { timers, periodSeconds, log } = this.#options
      const oldest = timers.monotonic() - missedPeriods * periodSeconds * 1000
      if (this.#isAvailable && this.#seen.values().some((at) => at < oldest)) {
        log.warn('periodic values are missing; registering again')
        this.#lose()
        this.#runAfter(0)
      } else void this.#retryMissing()
      this.#checkLater()
    })
  }
}
