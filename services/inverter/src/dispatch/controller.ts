import { randomBytes } from 'node:crypto'
import { Problem, unknownDevice } from '../problems.ts'
import { cycle, firstAim, isExpected, type RunningOperation, nextDue } from './cycle.ts'
import type { Ending } from './dispatch-machine.ts'
import { endingFor, errorForCaller, Interrupted } from './endings.ts'
import { DeviationMonitor } from './deviation.ts'
import { meterFor, otherMeter } from './grid-connection.ts'
import { checkVerified, judgeDevice, type DeviceFacts } from './judge-device.ts'
import { Meter, readSoc } from './measure.ts'
import { previewOf } from './preview.ts'
import { idle, operationOf, type DispatchRecord, type IsMeant, type Operation } from './record.ts'
import type { Dispatch, DispatchMode, DispatchPreview, DispatchRequest, StopReason } from './schema.ts'
import { prepare, applyPlan, handBack, currentRecord, type Run } from './steps.ts'
import { checkTurn, corruptRecord, isGoalMet } from './submission.ts'
import type { Accepted, Submission, Verdict } from './submission.ts'
import { createDeviceQueue, type DeviceQueue } from './device-queue.ts'

export interface ControllerDependencies extends DeviceFacts {
  readonly run: Omit<Run, 'checkHalted' | 'checkVerified'>
  readonly isWriteAccessOn: () => boolean
}

/** The dispatch of one device. Its device accesses run one after the other. */
export class Controller {
  readonly #dependencies: ControllerDependencies
  readonly #run: Run
  readonly #queue: DeviceQueue
  #running: RunningOperation | undefined
  #interrupt: StopReason | undefined
  /** The operation that is being begun or carried on, and can be interrupted. */
  #interruptible: Operation | undefined
  #closing = false
  #refusals = 0
  #halted = false
  #recovered: boolean
  #failures = 0
  /** Time of the last work on the device; monotonic milliseconds. */
  #workedAt = 0

  constructor(dependencies: ControllerDependencies) {
    this.#dependencies = dependencies
    this.#run = {
      ...dependencies.run,
      checkHalted: () => {
        if (this.#halted) throw new Interrupted('shutdown')
      },
      checkVerified: ({ mode }) => this.#checkVerified(mode),
    }
    this.#queue = createDeviceQueue(this.#run.timers, { due: () => this.#due(), run: () => this.#tick() })
    this.#recovered = !this.#run.persisted.planRecovery()
  }

  get record(): DispatchRecord | undefined {
    return this.#run.persisted.record
  }

  /** The inverter whose grid power the running operation reads; undefined while nothing runs. */
  get meterId(): string | undefined {
    return this.#running?.meterId
  }

  get readiness() {
    const { record, isUnsaved } = this.#run.persisted
    const restorePending = isUnsaved || record?.phase === 'restoring' || record?.phase === 'fault'
    return { corrupt: record === undefined, restorePending, recovered: this.#recovered }
  }

  /** The record as the API shows it; throws `dispatch_record_corrupt`. */
  view(): Dispatch {
    const view = this.#run.persisted.view()
    if (view === undefined) throw corruptRecord()
    return { ...view, ...this.#running?.deviation.view() }
  }

  /** Restores the settings when an earlier process left them changed; resolves after the first attempt. */
  async recover(): Promise<void> {
    if (this.#recovered) return
    await this.#queue.run('urgent', async () => {
      if (this.record?.phase === 'idle') await this.#flushQuietly()
      else await this.#endQuietly({ stopReason: 'shutdown', faultCode: 'recovery_required' })
      this.#recovered = true
    })
  }

  /** Starts or replaces. Resolves when the operation has settled, or was not needed. */
  async submit(request: DispatchRequest, submission: Submission): Promise<Dispatch> {
    // While the device is being handed back a request is refused at once.
    if (this.record?.phase === 'restoring') await this.#judge(request)
    return this.#queue.run('normal', async () => {
      const begun = this.#run.timers.monotonic()
      checkTurn(this.record, submission)
      if ((await this.#judge(request)).kind === 'unchanged') return this.view()
      await this.#run.persisted.flush()
      const verdict = await this.#judgeIdentified(request)
      if (verdict.kind === 'unchanged') return this.view()
      const soc = await readSoc(this.#run.gateway())
      checkTurn(this.record, submission)
      if (isGoalMet(verdict.requested, soc)) await this.#endAtGoal()
      else await this.#start(verdict, submission, begun)
      return this.view()
    })
  }

  /** Reports what `submit` would do now. */
  preview(request: DispatchRequest): Promise<DispatchPreview> {
    return this.#queue.run('normal', async () => {
      await this.#judge(request)
      const verdict = await this.#judgeIdentified(request)
      return previewOf({ verdict, record: currentRecord(this.#run.persisted), run: this.#run })
    })
  }

  /**
   * Ends the operation and restores the settings. Resolves also when that failed and will be retried; undefined when no
   * operation was active and nothing has to be restored, or the active one is not meant.
   */
  async stop(stopReason: StopReason, isMeant: IsMeant = () => true): Promise<Dispatch | undefined> {
    if (this.record === undefined) throw corruptRecord()
    const wasActive = operationOf(this.record) !== undefined || this.#run.persisted.isUnsaved
    if (this.#interruptible !== undefined && isMeant(this.#interruptible)) this.#interrupt ??= stopReason
    return this.#queue.run('urgent', async () => {
      if (!isMeant(operationOf(currentRecord(this.#run.persisted)))) return undefined
      const wasIdle = this.record?.phase === 'idle'
      if (!wasIdle) await this.#endQuietly({ stopReason, faultCode: null })
      if (currentRecord(this.#run.persisted).phase === 'idle') await this.#run.persisted.flush()
      return wasIdle && !wasActive ? undefined : this.view()
    })
  }

  /** As `stop`, but throws `dispatch_restore_required` unless the device has its own settings afterwards. */
  async handBack(stopReason: StopReason, isMeant?: IsMeant): Promise<void> {
    const { phase, fault_code: code } = (await this.stop(stopReason, isMeant)) ?? { phase: 'idle', fault_code: null }
    if (phase === 'idle') return
    throw new Problem(
      'dispatch_restore_required',
      `The device could not be handed back (${code ?? phase}); the service retries`,
    )
  }

  /** Refuses every start until the returned function is called. */
  refuseStarts(): () => void {
    this.#refusals += 1
    return () => void (this.#refusals -= 1)
  }

  /** Runs a change while nothing starts or ends. `check` throws to refuse. */
  guarded<T>(check: (active: Operation | undefined) => void, change: () => Promise<T>): Promise<T> {
    return this.#queue.run('urgent', () => {
      check(this.record === undefined ? undefined : operationOf(this.record))
      return change()
    })
  }

  /** Deletes the record whatever its state: for a removed device, or after the operator restored it by hand. */
  discard(): Promise<void> {
    return this.#queue.run('urgent', () => this.#run.persisted.discard())
  }

  /** Takes no more requests and tries once to hand the device back. */
  async close(): Promise<void> {
    this.#closing = true
    await this.#queue.close()
    if (this.record === undefined || this.record.phase === 'idle' || !this.#recovered) return
    await this.#queue.run('urgent', () => this.#endQuietly({ stopReason: 'shutdown', faultCode: null }))
  }

  /** From here on nothing is sent or stored. */
  halt(): void {
    this.#closing = true
    this.#halted = true
  }

  async #judge(request: DispatchRequest, meterId = meterFor(request.mode, this.#run)): Promise<Verdict> {
    const device = this.#dependencies.device()
    if (device === undefined) throw unknownDevice(this.#run.deviceId)
    if (this.#closing) throw new Problem('shutting_down', 'The service is stopping')
    if (!this.#dependencies.isWriteAccessOn()) throw new Problem('write_disabled', 'Write access is off')
    if (this.#refusals > 0)
      throw new Problem('device_maintenance', 'The device is being changed', { retryAfterSeconds: 5 })
    return judgeDevice(request, device, { facts: this.#dependencies, run: this.#run, meterId })
  }

  /**
   * Judges again once the firmware on the connections is known: another one takes verifications away. The meter is chosen once,
   * so that the sign is that of the inverter that is read.
   */
  async #judgeIdentified(request: DispatchRequest): Promise<Verdict> {
    const meterId = meterFor(request.mode, this.#run)
    await this.#run.gateway().identify()
    await otherMeter(meterId, this.#run)?.().identify()
    return this.#judge(request, meterId)
  }

  async #checkVerified(mode: DispatchMode): Promise<void> {
    if (this.#running !== undefined)
      await checkVerified(mode, this.#running, { facts: this.#dependencies, run: this.#run })
  }

  async #endAtGoal(): Promise<void> {
    if (this.record?.phase === 'idle') await this.#run.persisted.save(idle('target_reached'))
    else await this.#end({ stopReason: 'target_reached', faultCode: null })
  }

  async #start(accepted: Accepted, { caller, origin }: Submission, begun: number): Promise<void> {
    const record = currentRecord(this.#run.persisted)
    const { conventions, requested, lifetimeMs, meterId } = accepted
    const id = randomBytes(16).toString('hex')
    const operation: Operation = { ...requested, caller, origin, id, isReplacement: record.phase === 'controlling' }
    await this.#interruptibly(operation, async () => {
      await prepare(this.#run, operation, { conventions, proceed: () => this.#proceed() })
      this.#running = {
        conventions,
        deadline: begun + lifetimeMs,
        meter: new Meter(() => this.#run.timers.monotonic(), otherMeter(meterId, this.#run)),
        meterId,
        deviation: new DeviationMonitor(),
        wroteAt: begun,
      }
      await this.#apply(this.#running)
    })
  }

  async #apply(running: RunningOperation): Promise<void> {
    const proceed = () => this.#proceed()
    try {
      await applyPlan(this.#run, { proceed, aim: () => firstAim(this.#run, running, proceed) })
    } catch (error) {
      const failure = errorForCaller(error)
      // A reading that fails at the start is an error of the device; later it only makes the last one old.
      await this.#endQuietly(endingFor(error instanceof Interrupted ? error : failure))
      throw failure
    }
  }

  #proceed(): void {
    this.#run.checkHalted()
    if (this.#closing) throw new Interrupted('shutdown')
    if (this.#interrupt !== undefined) throw new Interrupted(this.#interrupt)
  }

  async #interruptibly(operation: Operation, work: () => Promise<void>): Promise<void> {
    this.#interruptible = operation
    try {
      await work()
    } finally {
      this.#interruptible = undefined
      this.#interrupt = undefined
      this.#workedAt = this.#run.timers.monotonic()
    }
  }

  async #end(ending: Ending): Promise<void> {
    this.#running = undefined
    const attempts = this.record !== undefined && 'attempts' in this.record ? this.record.attempts : 0
    try {
      await handBack(this.#run, ending)
      if (attempts > 0) this.#run.log.info({ device: this.#run.deviceId, attempts }, 'settings restored after retries')
    } catch (error) {
      const level = attempts === 0 ? 'warn' : 'debug'
      this.#run.log[level]({ device: this.#run.deviceId, err: error }, 'the settings could not be restored')
      throw error
    } finally {
      this.#workedAt = this.#run.timers.monotonic()
    }
  }

  /** As `#end`, without its error: no caller waits for it, or gets another one. The attempt is repeated anyway. */
  async #endQuietly(ending: Ending): Promise<void> {
    await this.#end(ending).catch(() => undefined)
  }

  async #flushQuietly(): Promise<void> {
    try {
      await this.#run.persisted.flush()
      this.#failures = 0
    } catch {
      this.#failures += 1
    } finally {
      this.#workedAt = this.#run.timers.monotonic()
    }
  }

  async #tick(): Promise<void> {
    if (this.#closing || this.record === undefined) return
    const running = this.#running
    if (this.record.phase === 'idle') await this.#flushQuietly()
    else if (this.record.phase === 'controlling' && running !== undefined)
      await this.#interruptibly(this.record.operation, () => this.#round(running))
    else await this.#endQuietly({ stopReason: 'device_error', faultCode: 'recovery_required' })
  }

  async #round(running: RunningOperation): Promise<void> {
    const isAllowed = () => this.#dependencies.isWriteAccessOn() && this.#dependencies.unapproved().length === 0
    try {
      await cycle(this.#run, running, { isAllowed, proceed: () => this.#proceed() })
    } catch (error) {
      if (!isExpected(error)) this.#run.log.error({ device: this.#run.deviceId, err: error }, 'the control loop failed')
      await this.#endQuietly(endingFor(error))
    }
  }

  #due(): number | undefined {
    if (!this.#recovered) return undefined
    return nextDue(this.#run, { running: this.#running, workedAt: this.#workedAt, failures: this.#failures })
  }
}
