import { randomBytes } from 'node:crypto'
import type { Capability } from '../capabilities/schema.ts'
import { Problem, unknownDevice } from '../problems.ts'
import { cycle, firstAim, isExpected, type Live } from './cycle.ts'
import { nextDue } from './due.ts'
import { endingFor, errorForCaller, Interrupted, type Ending } from './endings.ts'
import { Following } from './following.ts'
import { Meter, readSoc } from './measure.ts'
import type { DispatchDevice } from './ports.ts'
import { previewOf } from './preview.ts'
import { idle, operationOf, type DispatchRecord, type Operation } from './record.ts'
import type { Dispatch, DispatchMode, DispatchPreview, DispatchRequest, StopReason } from './schema.ts'
import { prepare } from './prepare.ts'
import { applyPlan, handBack, presentRecord, type Run } from './steps.ts'
import { corruptRecord, gateOf, isGoalMet, judge, type Verdict } from './submission.ts'
import { Turns } from './turns.ts'

export interface ControllerParts {
  readonly run: Omit<Run, 'checkHalted' | 'checkVerified'>
  readonly device: () => DispatchDevice | undefined
  readonly capabilities: () => Promise<readonly Capability[]>
  /** Registers that are not approved for writing. */
  readonly unapproved: () => readonly string[]
  readonly isWriteAccessOn: () => boolean
}

/** Caller of a request and the endpoint it used. */
export interface Submitter {
  readonly caller: string | null
  readonly origin: Operation['origin']
}

type Accepted = Extract<Verdict, { kind: 'accepted' }>

/** The dispatch of one device. Whatever it does to the device, it does one thing after the other. */
export class Controller {
  readonly #parts: ControllerParts
  readonly #run: Run
  readonly #turns: Turns
  #live: Live | undefined
  #interrupt: StopReason | undefined
  #isInterruptible = false
  #closing = false
  #refusals = 0
  #halted = false
  #recovered: boolean
  #failures = 0
  /** Time of the last work on the device; monotonic milliseconds. */
  #workedAt = 0

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#run = {
      ...parts.run,
      checkHalted: () => {
        if (this.#halted) throw new Interrupted('shutdown')
      },
      checkVerified: ({ mode }) => this.#checkVerified(mode),
    }
    this.#turns = new Turns(this.#run.timers, { due: () => this.#due(), run: () => this.#tick() })
    this.#recovered = !this.#run.keeper.presumeEnding()
  }

  get record(): DispatchRecord | undefined {
    return this.#run.keeper.record
  }

  get readiness(): { corrupt: boolean; restorePending: boolean; recovered: boolean } {
    const { record, isUnsaved } = this.#run.keeper
    const restorePending = isUnsaved || record?.phase === 'restoring' || record?.phase === 'fault'
    return { corrupt: record === undefined, restorePending, recovered: this.#recovered }
  }

  /** The record as the API shows it; throws `dispatch_record_corrupt`. */
  view(): Dispatch {
    const view = this.#run.keeper.view()
    if (view === undefined) throw corruptRecord()
    return { ...view, ...this.#live?.following.view() }
  }

  /** Hands back what an earlier process left behind; resolves after the first attempt. */
  async recover(): Promise<void> {
    if (this.#recovered) return
    await this.#turns.run('urgent', async () => {
      if (this.record?.phase === 'idle') await this.#flushQuietly()
      else await this.#endQuietly({ stopReason: 'shutdown', faultCode: 'recovery_required' })
      this.#recovered = true
    })
  }

  /** Starts or replaces. Resolves when the operation has settled, or was not needed. */
  async submit(request: DispatchRequest, submitter: Submitter): Promise<Dispatch> {
    // Whoever comes while the device is being handed back is refused, and does not wait for the end of it.
    if (this.record?.phase === 'restoring') await this.#judge(request)
    return this.#turns.run('patient', async () => {
      const begun = this.#run.timers.monotonic()
      if ((await this.#judge(request)).kind === 'unchanged') return this.view()
      await this.#run.keeper.flush()
      const verdict = await this.#judgeIdentified(request)
      if (verdict.kind === 'unchanged') return this.view()
      const soc = await readSoc(this.#run.gateway())
      if (isGoalMet(verdict.wish, soc)) await this.#endAtGoal()
      else await this.#start(verdict, submitter, begun)
      return this.view()
    })
  }

  /** Reports what `submit` would do now. */
  preview(request: DispatchRequest): Promise<DispatchPreview> {
    return this.#turns.run('patient', async () => {
      await this.#judge(request)
      const verdict = await this.#judgeIdentified(request)
      const record = presentRecord(this.#run.keeper)
      return previewOf({ verdict, record, run: this.#run })
    })
  }

  /**
   * Ends what is active and hands the device back. Resolves also when that failed and will be tried again; undefined when
   * nothing was active and nothing is to be put back.
   */
  async stop(stopReason: StopReason): Promise<Dispatch | undefined> {
    if (this.record === undefined) throw corruptRecord()
    const wasActive = operationOf(this.record) !== undefined || this.#run.keeper.isUnsaved
    if (this.#isInterruptible) this.#interrupt ??= stopReason
    return this.#turns.run('urgent', async () => {
      if (this.record?.phase === 'idle') {
        await this.#run.keeper.flush()
        return wasActive ? this.view() : undefined
      }
      await this.#endQuietly({ stopReason, faultCode: null })
      if (presentRecord(this.#run.keeper).phase === 'idle') await this.#run.keeper.flush()
      return this.view()
    })
  }

  /** As `stop`, but throws `dispatch_restore_required` unless the device has its own settings afterwards. */
  async handBack(stopReason: StopReason): Promise<void> {
    const { phase, fault_code: code } = (await this.stop(stopReason)) ?? { phase: 'idle', fault_code: null }
    if (phase === 'idle') return
    throw new Problem(
      'dispatch_restore_required',
      `The device could not be handed back (${code ?? phase}); it is tried again`,
    )
  }

  /** Refuses every start until the returned function is called. */
  refuseStarts(): () => void {
    this.#refusals += 1
    return () => void (this.#refusals -= 1)
  }

  /** Runs a change while nothing starts or ends. `check` throws to refuse. */
  guarded<T>(check: (active: Operation | undefined) => void, change: () => Promise<T>): Promise<T> {
    return this.#turns.run('urgent', () => {
      check(this.record === undefined ? undefined : operationOf(this.record))
      return change()
    })
  }

  /** Forgets the record, whatever it says: for a device that is gone, or an operator who has put it right by hand. */
  discard(): Promise<void> {
    return this.#turns.run('urgent', () => this.#run.keeper.discard())
  }

  /** Takes no more requests and tries once to hand the device back. */
  async close(): Promise<void> {
    this.#closing = true
    await this.#turns.close()
    if (this.record === undefined || this.record.phase === 'idle' || !this.#recovered) return
    await this.#turns.run('urgent', () => this.#endQuietly({ stopReason: 'shutdown', faultCode: null }))
  }

  /** From now on nothing is sent and nothing stored any more. */
  halt(): void {
    this.#closing = true
    this.#halted = true
  }

  async #judge(request: DispatchRequest): Promise<Verdict> {
    const device = this.#parts.device()
    if (device === undefined) throw unknownDevice(this.#run.deviceId)
    if (this.#closing) throw new Problem('shutting_down', 'The service is stopping')
    if (!this.#parts.isWriteAccessOn()) throw new Problem('write_disabled', 'Write access is off')
    if (this.#refusals > 0)
      throw new Problem('device_maintenance', 'The device is being changed', { retryAfterSeconds: 5 })
    const capabilities = await this.#parts.capabilities()
    const unapproved = this.#parts.unapproved()
    return judge(request, { now: this.#run.timers.now(), device, capabilities, unapproved, record: this.record })
  }

  /** Judges again once the firmware on the connection is known: another one takes verifications away. */
  async #judgeIdentified(request: DispatchRequest): Promise<Verdict> {
    await this.#run.gateway().identify()
    return this.#judge(request)
  }

  async #checkVerified(mode: DispatchMode): Promise<void> {
    const device = this.#parts.device()
    if (device !== undefined) gateOf(mode, { device, capabilities: await this.#parts.capabilities() })
  }

  async #endAtGoal(): Promise<void> {
    if (this.record?.phase === 'idle') await this.#run.keeper.save(idle('target_reached'))
    else await this.#end({ stopReason: 'target_reached', faultCode: null })
  }

  async #start(accepted: Accepted, submitter: Submitter, begun: number): Promise<void> {
    const record = presentRecord(this.#run.keeper)
    const { conventions, wish, lifetimeMs } = accepted
    const id = randomBytes(16).toString('hex')
    const operation: Operation = { ...wish, ...submitter, id, isReplacement: record.phase === 'controlling' }
    await this.#interruptibly(async () => {
      await prepare(this.#run, operation, { conventions, proceed: () => this.#proceed() })
      const meter = new Meter(() => this.#run.timers.monotonic())
      this.#live = { conventions, deadline: begun + lifetimeMs, meter, following: new Following(), wroteAt: begun }
      await this.#apply(this.#live)
    })
  }

  async #apply(live: Live): Promise<void> {
    const proceed = () => this.#proceed()
    try {
      await applyPlan(this.#run, { proceed, aim: () => firstAim(this.#run, live, proceed) })
    } catch (error) {
      const told = errorForCaller(error)
      // What the plant cannot be asked for at a start is an error of the device; only later is it old.
      await this.#endQuietly(endingFor(error instanceof Interrupted ? error : told))
      throw told
    }
  }

  #proceed(): void {
    this.#run.checkHalted()
    if (this.#closing) throw new Interrupted('shutdown')
    if (this.#interrupt !== undefined) throw new Interrupted(this.#interrupt)
  }

  async #interruptibly(work: () => Promise<void>): Promise<void> {
    this.#isInterruptible = true
    try {
      await work()
    } finally {
      this.#isInterruptible = false
      this.#interrupt = undefined
      this.#workedAt = this.#run.timers.monotonic()
    }
  }

  async #end(ending: Ending): Promise<void> {
    this.#live = undefined
    const attempts = this.record !== undefined && 'attempts' in this.record ? this.record.attempts : 0
    try {
      await handBack(this.#run, ending)
      if (attempts > 0) this.#run.log.info({ device: this.#run.deviceId, attempts }, 'settings put back after all')
    } catch (error) {
      const level = attempts === 0 ? 'warn' : 'debug'
      this.#run.log[level]({ device: this.#run.deviceId, err: error }, 'the settings could not be put back')
      throw error
    } finally {
      this.#workedAt = this.#run.timers.monotonic()
    }
  }

  /** For where nobody is waiting for the error, or another one is on its way: the attempt is repeated anyway. */
  async #endQuietly(ending: Ending): Promise<void> {
    await this.#end(ending).catch(() => undefined)
  }

  async #flushQuietly(): Promise<void> {
    try {
      await this.#run.keeper.flush()
      this.#failures = 0
    } catch {
      this.#failures += 1
    } finally {
      this.#workedAt = this.#run.timers.monotonic()
    }
  }

  async #tick(): Promise<void> {
    if (this.#closing || this.record === undefined) return
    const live = this.#live
    if (this.record.phase === 'idle') await this.#flushQuietly()
    else if (this.record.phase === 'controlling' && live !== undefined)
      await this.#interruptibly(() => this.#round(live))
    else await this.#endQuietly({ stopReason: 'device_error', faultCode: 'recovery_required' })
  }

  async #round(live: Live): Promise<void> {
    const isAllowed = () => this.#parts.isWriteAccessOn() && this.#parts.unapproved().length === 0
    try {
      await cycle(this.#run, live, { isAllowed, proceed: () => this.#proceed() })
    } catch (error) {
      if (!isExpected(error)) this.#run.log.error({ device: this.#run.deviceId, err: error }, 'the control loop failed')
      await this.#endQuietly(endingFor(error))
    }
  }

  #due(): number | undefined {
    if (!this.#recovered) return undefined
    return nextDue(this.#run, { live: this.#live, workedAt: this.#workedAt, failures: this.#failures })
  }
}
