import type { Frame } from '../protocol/frame.ts'
import { createFrameParser, type FrameParser } from '../protocol/parser.ts'
import { Arrivals } from './arrivals.ts'
import { Connector } from './connector.ts'
import { Exchange, createRequest, mayLeave } from './exchange.ts'
import type { Outcome, Request, RequestKind, RequestInput } from './exchange.ts'
import { LinkError, type LinkFailure } from './link-errors.ts'
import { defaultTiming, type LinkOptions, type LinkTiming, type RequestOptions } from './link-options.ts'
import { Listeners } from './listeners.ts'
import { Maintenance } from './maintenance.ts'
import { createPace, type Pace } from './pace.ts'
import { SendQueue } from './send-queue.ts'

type Queued = Request & { readonly cancelWait: () => void }

/** Status of a link. */
export type LinkStatus = Readonly<ReturnType<Link['status']>>

/**
 * The connection to one endpoint. Requests go out one at a time, each after the answer to the one before. It connects by
 * itself and again after a loss. All requests reject with a `LinkError`, a `RangeError` for what no frame can carry,
 * or what their `check` throws.
 */
export class Link {
  readonly #options: LinkOptions
  readonly #timing: LinkTiming
  readonly #parser: FrameParser
  readonly #connector: Connector
  readonly #maintenance: Maintenance
  readonly #queue: SendQueue<Queued>
  readonly #pace: Pace
  readonly #arrivals: Arrivals
  readonly #onValue = new Listeners<[number | undefined, number, Uint8Array]>()
  readonly #onConnected = new Listeners<[number]>()
  readonly #onDisconnected = new Listeners<[LinkFailure]>()
  readonly #onMaintenance = new Listeners<[boolean]>()
  /** True if the present connection brought a valid frame. */
  #hasAnswered = false
  #exchange: Exchange | undefined
  /** The read that checks whether maintenance is over; it goes out although nothing else does. */
  #probe: Request | undefined
  /** Monotonic milliseconds from which on the next request may go out. */
  #readyAt = 0
  #cancelPump: (() => void) | undefined
  #sent = 0
  #dropFailure: LinkFailure = 'unreachable'
  #lastBytes: Uint8Array = new Uint8Array(0)
  #isClosed = false

  /** Opens the link and begins to connect. */
  constructor(options: LinkOptions) {
    const { host, port, timers, log } = options
    const timing = { ...defaultTiming, ...options.timing }
    this.#options = options
    this.#timing = timing
    this.#queue = new SendQueue(timing.queueLength)
    this.#pace = createPace(options.gapMs)
    this.#arrivals = new Arrivals(timers)
    this.#maintenance = new Maintenance({ ...timing, timers, onCooledDown: () => this.#probeDevice() })
    this.#parser = createFrameParser({
      onFrame: (frame) => this.#receive(frame),
      onFrameBytes: (bytes) => (this.#lastBytes = bytes),
      onDamage: () => this.#exchange?.recordDamage(),
      onBootloader: () => this.#enterMaintenance(),
    })
    this.#connector = new Connector({
      host,
      port,
      timers,
      timing,
      log,
      parser: this.#parser,
      onUp: (epoch) => this.#goUp(epoch),
      onDown: (wasUp) => this.#goDown(wasUp),
      onBytes: () => this.#exchange?.recordBytes(),
    })
    this.#connector.attempt()
  }

  /** Resolves with the payload of the answer. A read whose answer is damaged is repeated twice. */
  read(objectId: number, options: RequestOptions): Promise<Uint8Array> {
    return this.#request('read', { ...options, objectId })
  }

  /** Sends a write that is answered, as time series and the event table are. */
  query(objectId: number, payload: Uint8Array, options: RequestOptions): Promise<Uint8Array> {
    return this.#request('query', { ...options, objectId, payload })
  }

  /** Resolves when the bytes have left: devices do not answer a write. It is never sent twice. */
  async write(objectId: number, payload: Uint8Array, options: RequestOptions): Promise<void> {
    await this.#request('write', { ...options, objectId, payload })
  }

  /** Requests a value now and in every period. Resolves with the first; a device that ignores it keeps its connection. */
  register(objectId: number, options: RequestOptions): Promise<Uint8Array> {
    return this.#request('register', { ...options, objectId })
  }

  /** Calls the listener with every valid response about a registered object that answers no request. Returns a function that ends it. */
  onValue(listener: (address: number | undefined, objectId: number, payload: Uint8Array) => void): () => void {
    return this.#onValue.add(listener)
  }

  /** Sets what a device is expected to send by itself. */
  setRegistered(address: number | undefined, objectIds: ReadonlySet<number>): void {
    this.#arrivals.setRegistered(address, objectIds)
  }

  onConnected(listener: (epoch: number) => void): () => void {
    return this.#onConnected.add(listener)
  }

  /** Calls the listener when a connection is lost, not for attempts that fail. */
  onDisconnected(listener: (reason: LinkFailure) => void): () => void {
    return this.#onDisconnected.add(listener)
  }

  onMaintenance(listener: (active: boolean) => void): () => void {
    return this.#onMaintenance.add(listener)
  }

  /** Address of the other side, of the last connection while there is none. */
  get remoteAddress(): string | undefined {
    return this.#connector.remoteAddress
  }

  status() {
    const state = this.#maintenance.isActive ? ('maintenance' as const) : this.#connector.state
    return {
      state: this.#isClosed ? ('closed' as const) : state,
      /** Number of connections so far. */
      epoch: this.#connector.epoch,
      queueLength: this.#queue.length,
      /** The pause between exchanges as it is now, milliseconds. */
      gapMs: this.#pace.gap,
      ...this.#parser.counters,
      ...this.#arrivals.status(),
      framesSent: this.#sent,
      /** Wall clock, milliseconds, when the device is probed again; null outside of maintenance. */
      maintenanceUntil: this.#maintenance.until,
    }
  }

  /** Fails everything that is open or waiting with `closed`. Resolves when the socket is gone. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelPump?.()
    this.#maintenance.end()
    this.#exchange?.fail('closed')
    this.#refuse(() => true, new LinkError('closed'))
    await this.#connector.close()
  }

  async #request(kind: RequestKind, wanted: RequestInput): Promise<Uint8Array> {
    const { request, answer } = createRequest(kind, wanted)
    const failure = this.#failureAtOnce(request)
    if (failure !== undefined) throw failure
    const cancelWait = this.#options.timers.after(this.#timing.queueWaitMs, () => {
      this.#queue.remove(queued)
      request.reject(new LinkError('queue-timeout'))
    })
    const queued: Queued = { ...request, cancelWait }
    const refused = this.#queue.add(queued)
    refused?.cancelWait()
    refused?.reject(new LinkError('queue-full'))
    this.#pump()
    return answer
  }

  #failureAtOnce({ priority }: Request): LinkError | undefined {
    if (this.#isClosed) return new LinkError('closed')
    if (this.#maintenance.isActive) return this.#maintenanceError()
    if (this.#connector.state !== 'backing-off') return undefined
    return priority === 'control' && this.#connector.attemptUrgently() ? undefined : new LinkError('unreachable')
  }

  /** Sends the next request, now or as soon as the line is free and the pause over. */
  #pump(): void {
    this.#cancelPump?.()
    const connection = this.#connector.open
    if (this.#exchange !== undefined || connection === undefined || this.#isClosed) return
    if (this.#probe === undefined && (this.#queue.length === 0 || this.#maintenance.isActive)) return
    const { timers } = this.#options
    const pause = connection.isReceiving ? this.#timing.idleGapMs : 0
    const wait = Math.max(pause, this.#readyAt - timers.monotonic())
    if (wait > 0) this.#cancelPump = timers.after(wait, () => this.#pump())
    else this.#begin(this.#probe ?? this.#nextQueued())
  }

  /** The next request that may go out on this connection; those meant for an earlier one, or forbidden meanwhile, fail. */
  #nextQueued(): Request | undefined {
    for (;;) {
      const queued = this.#queue.next()
      queued?.cancelWait()
      if (queued === undefined || mayLeave(queued, this.#connector.epoch)) return queued
    }
  }

  #begin(request: Request | undefined): void {
    const connection = this.#connector.open
    if (request === undefined || connection === undefined) return
    this.#probe = undefined
    const { timers, onFrame } = this.#options
    const send = ({ frame, bytes }: Request) => {
      this.#sent += 1
      onFrame?.('sent', frame, bytes)
      return connection.send(bytes)
    }
    const onEnd = (outcome: Outcome) => this.#finish(request, outcome)
    const timing = { ...this.#timing, repeatMs: Math.max(this.#timing.repeatMs, this.#pace.gap) }
    this.#exchange = new Exchange({ request, timers, timing, send, onEnd })
    this.#exchange.begin()
  }

  #finish(request: Request, outcome: Outcome): void {
    const { kind } = request
    this.#exchange = undefined
    if (kind === 'write') this.#arrivals.recordWrite(request)
    else if (outcome === null) this.#pace.succeeded()
    if (outcome === 'timeout') this.#pace.timedOut()
    this.#readyAt = this.#options.timers.monotonic() + this.#pace.gap
    // A device without the periodic command does not answer it and still works.
    if (outcome === 'timeout' && kind !== 'register') this.#drop('timeout', 'no answer to a request')
    this.#pump()
  }

  #receive(frame: Frame): void {
    this.#connector.confirm()
    this.#hasAnswered = true
    this.#options.onFrame?.('received', frame, this.#lastBytes)
    const arrival = this.#arrivals.sort(frame, this.#exchange?.expected)
    if (arrival === 'answer') this.#exchange?.answer(frame.payload)
    else if (arrival === 'registered') this.#onValue.notify(frame.address, frame.objectId, frame.payload)
    else if (this.#arrivals.isExcessive()) this.#drop('unreachable', 'too many requests of others arrive here')
  }

  #drop(failure: LinkFailure, reason: string): void {
    this.#dropFailure = failure
    this.#connector.drop(reason)
  }

  #goUp(epoch: number): void {
    this.#dropFailure = 'unreachable'
    this.#readyAt = 0
    this.#onConnected.notify(epoch)
    this.#pump()
  }

  #goDown(wasUp: boolean): void {
    this.#exchange?.fail('unreachable')
    this.#probe?.reject(new LinkError('unreachable'))
    this.#probe = undefined
    // A device that answered on this connection will most likely answer on the next one: requests keep waiting.
    if (!wasUp || !this.#hasAnswered) this.#refuseWaiting()
    this.#hasAnswered = false
    if (wasUp) this.#onDisconnected.notify(this.#dropFailure)
  }

  #refuseWaiting(): void {
    this.#refuse(({ priority }) => priority !== 'control', new LinkError('unreachable'))
    if (this.#queue.length > 0 && !this.#connector.attemptUrgently())
      this.#refuse(() => true, new LinkError('unreachable'))
  }

  #refuse(isConcerned: (queued: Queued) => boolean, error: LinkError): void {
    for (const queued of this.#queue.takeAll(isConcerned)) {
      queued.cancelWait()
      queued.reject(error)
    }
  }

  #enterMaintenance(): void {
    if (this.#maintenance.isActive) {
      this.#exchange?.fail('maintenance', this.#maintenance.secondsLeft)
      return
    }
    this.#maintenance.coolDown()
    this.#options.log.warn('the device is in its bootloader; nothing is sent to it for now')
    this.#exchange?.fail('maintenance', this.#maintenance.secondsLeft)
    this.#refuse(() => true, this.#maintenanceError())
    this.#onMaintenance.notify(true)
  }

  #probeDevice(): void {
    const { probe } = this.#options
    if (probe === undefined) return this.#leaveMaintenance()
    const { request, answer } = createRequest('read', { ...probe, priority: 'control' })
    const onSilence = () => (this.#isClosed ? undefined : this.#maintenance.coolDown())
    void answer.then(() => this.#leaveMaintenance(), onSilence)
    this.#probe = request
    this.#connector.attempt()
    this.#pump()
  }

  #leaveMaintenance(): void {
    this.#maintenance.end()
    this.#options.log.info('the device is back from its bootloader')
    this.#onMaintenance.notify(false)
    this.#pump()
  }

  #maintenanceError(): LinkError {
    return new LinkError('maintenance', { retryAfterSeconds: this.#maintenance.secondsLeft })
  }
}
