import type { Log, Timers } from '@hearth/runtime'
import type { ActiveOperation, EndedOperation } from '../dispatch/dispatch.ts'
import type { Dispatch, DispatchRequest } from '../dispatch/schema.ts'
import type { PlanDependencies } from './dependencies.ts'
import type { Plan, PlanBlock, PlanStatus } from './schema.ts'

/** A plan that is older is not carried out: the inverter decides by itself. */
const freshMs = 3 * 3_600_000

/** Pause after an operation that failed or was refused, milliseconds. */
const failurePause = 600_000

/** A stop by a person lasts as long as a part of a plan, hours; one that is longer is from a clock that was ahead. Milliseconds. */
const longestStop = 3 * 86_400_000

/** How long after its block an operation ends by itself, so that the next block replaces it without a restore between them. */
const graceMs = 30_000

/** Caller of the plan's operations, as the journal names it. */
const caller = 'plan'

const commanded = 'Somebody commands the battery'
const stoppedByPerson = 'Somebody stopped this part of the plan'
const notRestored = 'The inverter does not have its own settings back yet; that is tried until it has'

/** What is to be carried out now. */
export interface CarryOrder {
  readonly plan: Plan | undefined
  readonly isOn: boolean
  readonly pausedUntil: number | null
}

/** Until when a person wants nothing of the plan, milliseconds since the epoch: the end of a part that they stopped. */
export interface PersonStop {
  get(): number
  set(until: number): Promise<void>
}

interface CarrierDependencies {
  readonly deviceId: string
  readonly personStop: PersonStop
  readonly dispatch: PlanDependencies['dispatch']
  readonly timers: Timers
  readonly log: Log
}

/**
 * Carries a plan out, one operation of dispatch for each block, which ends by itself with the block. Whenever there is no block,
 * no fresh plan, or an operation failed, nothing of the plan is active and the inverter decides by itself. An operation that
 * somebody else started is left alone.
 */
export class PlanCarrier {
  readonly #dependencies: CarrierDependencies
  #state: PlanStatus['carrying'] = 'off'
  #detail: string | null = null
  /** After a failure nothing is started before this time, monotonic milliseconds. */
  #quietUntil = -Infinity
  /** The operation that it started last, or found. */
  #operationId: string | null = null
  #isStarting = false
  /** One change after the other. */
  #turn: Promise<void> = Promise.resolve()
  /** Begin of the block whose target is reached; the rest of it is held. */
  #reached: string | undefined
  #block: PlanBlock | undefined
  #isEnding = false
  #isClosed = false

  constructor(dependencies: CarrierDependencies) {
    this.#dependencies = dependencies
  }

  get status(): Pick<PlanStatus, 'carrying' | 'carrying_detail'> {
    return { carrying: this.#state, carrying_detail: this.#detail }
  }

  /** Brings the inverter to what the plan wants now. Never rejects. */
  carry(order: CarryOrder): Promise<void> {
    this.#turn = this.#turn.then(() => this.#carry(order))
    return this.#turn
  }

  async #carry({ plan, isOn, pausedUntil }: CarryOrder): Promise<void> {
    if (this.#isClosed) return
    const now = this.#dependencies.timers.now()
    const active = this.#active()
    if (active !== undefined && active.origin !== 'plan') return this.#note('person', commanded)
    this.#operationId = active?.id ?? null
    const isPaused = pausedUntil !== null && now < pausedUntil
    if (!isOn || isPaused) {
      await this.#end()
      return this.#note(isOn ? 'paused' : 'off', null)
    }
    const isFresh = plan !== undefined && Math.abs(now - Date.parse(plan.made_at)) < freshMs
    const block = isFresh ? blockAt(plan, now) : undefined
    this.#block = block
    const isStopped = this.#isStopped()
    const isQuiet = this.#dependencies.timers.monotonic() < this.#quietUntil
    if (block === undefined || isStopped || isQuiet) {
      await this.#end()
      if (isStopped) this.#note('person', stoppedByPerson)
      else if (!isQuiet) this.#note('automatic', isFresh ? null : 'There is no fresh plan')
      return undefined
    }
    await this.#start(block, active)
  }

  /** Notes how an operation of the plan ended. */
  async ended({ deviceId, operation, stopReason }: EndedOperation): Promise<void> {
    const { timers, deviceId: own, personStop } = this.#dependencies
    const isOwn = operation.id === this.#operationId || (this.#isStarting && operation.origin === 'plan')
    if (deviceId !== own || !isOwn || this.#isEnding) return
    if (stopReason === 'target_reached') this.#reached = this.#block?.start
    else if (stopReason === 'operator_cancelled') {
      // A person stopped it: the plan is not to start it again.
      this.#note('person', stoppedByPerson)
      await personStop.set(this.#block === undefined ? timers.now() : Date.parse(this.#block.end))
    } else if (stopReason !== 'ttl_expired') this.#failed(`The operation ended: ${stopReason.replaceAll('_', ' ')}`)
  }

  /** Ends what the plan does, and starts nothing any more. */
  async close(): Promise<void> {
    // One that begins just now is interrupted; it may also have its turn only after that.
    const interrupted = this.#end()
    this.#isClosed = true
    await interrupted
    await this.#turn
    await this.#end()
    this.#note('off', null)
  }

  async #start(block: PlanBlock, active: ActiveOperation | undefined): Promise<void> {
    // What has ended is not carried out any more, and nothing begins before its settings are back.
    if (active?.state === 'fault_restore_pending') return this.#note('failed', notRestored)
    if (active?.state === 'restoring') return undefined
    if (active !== undefined && isSame(active, this.#requestFor(block))) return this.#note('plan', null)
    this.#isStarting = true
    try {
      const started = await this.#submit(block)
      const isReached = started.state === 'idle' && started.stop_reason === 'target_reached'
      if (isReached) this.#reached = block.start
      if (isReached && !this.#isClosed) await this.#submit(block)
      this.#note('plan', null)
    } catch (error) {
      await this.#end()
      const other = this.#active()
      if (other !== undefined && other.origin !== 'plan') this.#note('person', commanded)
      // Somebody stopped it while it began: that is no failure.
      else if (!this.#isStopped()) this.#failed(error instanceof Error ? error.message : 'unknown error')
    } finally {
      this.#isStarting = false
    }
  }

  async #submit(block: PlanBlock): Promise<Dispatch> {
    const { dispatch, deviceId } = this.#dependencies
    const dispatched = await dispatch.submit(deviceId, this.#requestFor(block), { caller, origin: 'plan' })
    this.#operationId = dispatched.operation_id
    return dispatched
  }

  #requestFor({ start, end, action, power_w: power, target_soc_percent: target }: PlanBlock): DispatchRequest {
    const validUntil = new Date(Date.parse(end) + graceMs).toISOString()
    if (action === 'hold' || this.#reached === start) return { mode: 'hold', valid_until: validUntil }
    const mode = action === 'charge' ? 'charge_from_grid' : 'discharge_to_load'
    return {
      mode,
      valid_until: validUntil,
      ...(target !== null && { target_soc_percent: target }),
      ...(power !== null && { max_power_w: Math.max(1, power) }),
    }
  }

  #isStopped(): boolean {
    const left = this.#dependencies.personStop.get() - this.#dependencies.timers.now()
    return left > 0 && left < longestStop
  }

  #active(): ActiveOperation | undefined {
    const { dispatch, deviceId } = this.#dependencies
    return dispatch.activeOperation(deviceId)
  }

  /** Ends the operation of the plan; one that somebody else has begun by then goes on. */
  async #end(): Promise<void> {
    const active = this.#active()
    // One that closed late is not to end what its successor does.
    if (active?.origin !== 'plan' || (this.#isClosed && active.id !== this.#operationId)) return
    this.#isEnding = true
    try {
      await this.#dependencies.dispatch.end(this.#dependencies.deviceId, active.id)
    } catch (error) {
      this.#dependencies.log.warn({ device: this.#dependencies.deviceId, err: error }, 'the plan could not be ended')
    } finally {
      this.#isEnding = false
    }
  }

  #failed(detail: string): void {
    const { timers, log, deviceId } = this.#dependencies
    this.#quietUntil = timers.monotonic() + failurePause
    this.#note('failed', detail)
    log.warn({ device: deviceId, detail }, 'the plan is not carried out')
  }

  #note(state: PlanStatus['carrying'], detail: string | null): void {
    if (this.#isClosed && state !== 'off') return
    this.#state = state
    this.#detail = detail
  }
}

/** The block that a time is in; undefined while the inverter decides by itself. */
function blockAt({ blocks, until }: Plan, now: number): PlanBlock | undefined {
  if (now >= Date.parse(until)) return undefined
  const block = blocks.find(({ start, end }) => Date.parse(start) <= now && now < Date.parse(end))
  return block?.action === 'automatic' ? undefined : block
}

/** True for an operation that does what is wanted, or nearly: a new one costs four writes to the inverter. */
function isSame(
  active: ActiveOperation,
  { mode, valid_until: until, max_power_w: power, target_soc_percent: target }: DispatchRequest,
): boolean {
  const isNear = (a: number | null, b: number | undefined, tolerance: number) =>
    (a === null && b === undefined) || (a !== null && b !== undefined && Math.abs(a - b) <= tolerance)
  return (
    active.mode === mode &&
    active.requestedUntil === Date.parse(until) &&
    isNear(active.requestedPowerW, power, (power ?? 0) / 10) &&
    isNear(active.targetSocPercent, target, 2)
  )
}
