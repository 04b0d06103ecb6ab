import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { isAffected } from './gate.ts'
import type { Capability, CapabilityName } from '../capabilities/schema.ts'
import type { DispatchRow, Tables } from '../tables.ts'
import { Problem, unknownDevice } from '../problems.ts'
import { Controller } from './controller.ts'
import type { Submission } from './submission.ts'
import type { DispatchDevice } from './gate.ts'
import { changesGrid, ownConnection, withMeter, type ConnectionView, type GridConnection } from './grid-connection.ts'
import type { DeviceGateway } from './measure.ts'
import { operationOf, readRecord, stateOf, underWayOf, type Operation } from './record.ts'
import { PersistedRecord } from './persisted-record.ts'
import { dispatchRegisters, isDispatchRegister } from './registers.ts'
import type { Dispatch, DispatchPreview, DispatchRequest, DispatchState, StopReason } from './schema.ts'
import { createDispatchStore, type DispatchStore } from './store.ts'

/** Time for handing the devices back when the service stops, milliseconds. */
const closingMs = 8000

/** A dispatch that changed, for the pages that show it. */
export interface DispatchEvent {
  readonly type: 'dispatch'
  readonly device_id: string
  readonly dispatch: Dispatch
}

interface DispatchDependencies {
  readonly db: Kysely<Tables>
  readonly timers: Timers
  readonly log: Log
  /** The configured devices. */
  readonly devices: { find(deviceId: string): DispatchDevice | undefined; ids(): string[] }
  /** Undefined for a device that is not configured. */
  readonly gateways: (deviceId: string) => DeviceGateway | undefined
  readonly capabilities: (deviceId: string) => Promise<readonly Capability[]>
  /** The grid connections of the houses; without it each device has its own, without a limit. */
  readonly connection?: GridConnection
  readonly isApproved: (name: string) => boolean
  readonly isWriteAccessOn: () => boolean
  readonly publish: (event: DispatchEvent) => void
  /** Wraps the store, so that tests can observe writes or make them fail. */
  readonly wrapStore?: ((store: DispatchStore) => DispatchStore) | undefined
}

/** An operation that is active or still being ended. */
export interface ActiveOperation extends Operation {
  readonly state: DispatchState
}

/** The end of an operation, once the device has its own settings again. */
export interface EndedOperation {
  readonly deviceId: string
  readonly operation: Operation
  readonly stopReason: StopReason
}

/** Reads the stored records. Nothing is sent to any device before `recover`. */
export async function openDispatch(dependencies: DispatchDependencies): Promise<DispatchService> {
  const plain = createDispatchStore(dependencies.db)
  const store = dependencies.wrapStore?.(plain) ?? plain
  return new DispatchService(dependencies, store, await store.all())
}

/** Dispatch of all devices. The command line uses it too. */
export class DispatchService {
  readonly #dependencies: DispatchDependencies
  readonly #store: DispatchStore
  readonly #controllers = new Map<string, Controller>()
  readonly #listeners: ((ended: EndedOperation) => Promise<void>)[] = []
  readonly #notifications = new Set<Promise<void>>()

  constructor(dependencies: DispatchDependencies, store: DispatchStore, rows: readonly DispatchRow[]) {
    this.#dependencies = dependencies
    this.#store = store
    for (const row of rows) {
      const record = readRecord(row)
      if (record === undefined) dependencies.log.error({ device: row.device_id }, 'the dispatch record cannot be read')
      this.#add(row.device_id, { record, version: row.version })
    }
  }

  #add(deviceId: string, stored?: ConstructorParameters<typeof PersistedRecord>[0]['stored']): Controller {
    const { timers, log, devices, isApproved, isWriteAccessOn, publish } = this.#dependencies
    const changed = (dispatch: Dispatch) => publish({ type: 'dispatch', device_id: deviceId, dispatch })
    const persisted = new PersistedRecord({ deviceId, store: this.#store, log, changed, stored })
    const ended = (operation: Operation, stopReason: StopReason) =>
      this.#notifyEnded({ deviceId, operation, stopReason })
    const gateway = () => this.#gatewayOf(deviceId)
    const controller = new Controller({
      run: { deviceId, persisted, timers, log, gateway, ended, connection: this.#connectionOf(deviceId) },
      device: () => devices.find(deviceId),
      capabilities: (meterId) => this.capabilitiesOf(deviceId, meterId),
      unapproved: () => dispatchRegisters.filter((name) => !isApproved(name)),
      isWriteAccessOn,
    })
    this.#controllers.set(deviceId, controller)
    return controller
  }

  get #connection(): GridConnection {
    return this.#dependencies.connection ?? ownConnection
  }

  #gatewayOf(deviceId: string): DeviceGateway {
    const found = this.#dependencies.gateways(deviceId)
    if (found === undefined) throw new Problem('device_unreachable', `There is no connection to ${deviceId}`)
    return found
  }

  #connectionOf(deviceId: string): ConnectionView {
    const meterOf = (id: string) => this.#connection.meterOf(id)
    return {
      limitW: () => this.#connection.limitW(),
      meterId: () => meterOf(deviceId),
      gatewayOf: (meterId) => this.#gatewayOf(meterId),
      sharing: (mode) => {
        const others = this.#controllers.entries().filter(([id, { record }]) => {
          const isSame = record !== undefined && underWayOf(record)?.mode === mode
          return id !== deviceId && isSame && meterOf(id) === meterOf(deviceId)
        })
        return others.toArray().length + 1
      },
    }
  }

  /** Limit of the grid connection, watts; null for none. */
  gridLimitW(): number | null {
    return this.#connection.limitW()
  }

  /** The capabilities of a device, with the sign of the grid power of the inverter that measures it, or of another one. */
  async capabilitiesOf(deviceId: string, meterId = this.#connection.meterOf(deviceId)): Promise<readonly Capability[]> {
    const { capabilities } = this.#dependencies
    const own = await capabilities(deviceId)
    return meterId === deviceId ? own : withMeter(own, await capabilities(meterId))
  }

  /** The controller of a configured device; throws `unknown_device`. */
  #of(deviceId: string): Controller {
    if (this.#dependencies.devices.find(deviceId) === undefined) throw unknownDevice(deviceId)
    return this.#controllers.get(deviceId) ?? this.#add(deviceId)
  }

  /** Starts or replaces an operation. Throws the problems of docs/reference/inverter-api.md, "Dispatch". */
  async submit(deviceId: string, request: DispatchRequest, submission: Submission): Promise<Dispatch> {
    return this.#of(deviceId).submit(request, submission)
  }

  /** Reports what `submit` would do; writes nothing. */
  async preview(deviceId: string, request: DispatchRequest): Promise<DispatchPreview> {
    return this.#of(deviceId).preview(request)
  }

  read(deviceId: string): Dispatch {
    return this.#of(deviceId).view()
  }

  /** Ends what is active; throws `dispatch_not_found` when there is nothing to end. */
  async stop(deviceId: string): Promise<Dispatch> {
    const stopped = await this.#of(deviceId).stop('operator_cancelled')
    if (stopped === undefined) throw new Problem('dispatch_not_found', `Nothing is active on ${deviceId}`)
    return stopped
  }

  /** Ends an operation, unless another one is active by then. */
  async end(deviceId: string, operationId: string): Promise<void> {
    await this.#of(deviceId).stop('operator_cancelled', (operation) => operation?.id === operationId)
  }

  /**
   * Makes sure that the device has its own settings, before it changes or may no longer be written. Throws
   * `dispatch_restore_required` when that could not be done. Not to be called inside `guarded`. With an origin only an
   * operation that came from there is ended, also one that is still beginning.
   */
  async handBack(deviceId: string, reason: StopReason, origin?: Operation['origin']): Promise<void> {
    const controller = this.#controllers.get(deviceId)
    await controller?.handBack(reason, (operation) => origin === undefined || operation?.origin === origin)
  }

  /** Hands the device back, then runs the change; nothing starts on the device before the change is done or has failed. */
  async whileHandedBack<T>(deviceId: string, reason: StopReason, change: () => Promise<T>): Promise<T> {
    const release = (this.#controllers.get(deviceId) ?? this.#add(deviceId)).refuseStarts()
    try {
      await this.handBack(deviceId, reason)
      return await change()
    } finally {
      release()
    }
  }

  /** As `whileHandedBack`, for a change that concerns all devices. */
  whileAllHandedBack(reason: StopReason, change: () => Promise<void>): Promise<void> {
    const wrap = (inner: () => Promise<void>, id: string) => () => this.whileHandedBack(id, reason, inner)
    return this.#dependencies.devices.ids().reduceRight(wrap, change)()
  }

  /**
   * Runs a change of the device's limits or engineering mode, or of these capabilities; throws `dispatch_capability_conflict`
   * while an operation is active that depends on it.
   */
  guarded<T>(deviceId: string, change: () => Promise<T>, capabilities?: readonly CapabilityName[]): Promise<T> {
    const check = (active: Operation | undefined) => {
      if (
        active !== undefined &&
        (capabilities === undefined || isAffected(active.mode, capabilities, this.#connection.limitW()))
      )
        throw dependsOnIt(active)
      const reading = changesGrid(capabilities) ? this.#readingFrom(deviceId) : undefined
      if (reading !== undefined) throw dependsOnIt(reading)
    }
    return this.#of(deviceId).guarded(check, change)
  }

  /** An operation of another device that reads its grid power from this one. */
  #readingFrom(deviceId: string): Operation | undefined {
    for (const [id, { record, meterId }] of this.#controllers)
      if (id !== deviceId && meterId === deviceId && record !== undefined) return operationOf(record)
    return undefined
  }

  /** Throws while a caller may not write the metric: the device is being handed back, or an operation uses the register. */
  checkWritable(deviceId: string, metric: string): void {
    if (this.#controllers.get(deviceId)?.record?.phase === 'restoring')
      throw new Problem('device_maintenance', 'Previous settings of the device are being restored', {
        retryAfterSeconds: 5,
      })
    const active = this.activeOperation(deviceId)
    if (active !== undefined && isDispatchRegister(metric))
      throw new Problem('dispatch_operation_conflict', `The operation ${active.id} uses ${metric}; stop it first`, {
        members: { operation_id: active.id },
      })
  }

  activeOperation(deviceId: string): ActiveOperation | undefined {
    const record = this.#controllers.get(deviceId)?.record
    if (record === undefined || record.phase === 'idle') return undefined
    return { ...record.operation, state: stateOf(record) }
  }

  readiness(deviceId: string): Controller['readiness'] {
    const unused = { corrupt: false, restorePending: false, recovered: true }
    return this.#controllers.get(deviceId)?.readiness ?? unused
  }

  /**
   * Forgets the record for an operator who restored the device by hand; throws `conflict` for a record that can be read, unless
   * it is forced, and in any case while the device is under control.
   */
  async abandon(deviceId: string, force: boolean): Promise<void> {
    const controller = this.#of(deviceId)
    const isPending = controller.readiness.restorePending || !controller.readiness.recovered
    if (!controller.readiness.corrupt && !(force && isPending))
      throw new Problem('conflict', `The dispatch record of ${deviceId} can be read; stop the dispatch instead`)
    await this.discard(deviceId)
  }

  /** Deletes the record of a device that was removed or that an operator restored by hand. */
  async discard(deviceId: string): Promise<void> {
    await this.#controllers.get(deviceId)?.discard()
    if (this.#dependencies.devices.find(deviceId) === undefined) this.#controllers.delete(deviceId)
  }

  /** Called with every operation that has ended; `close` waits for what the listener does about it. */
  onEnded(listener: (ended: EndedOperation) => Promise<void>): void {
    this.#listeners.push(listener)
  }

  #notifyEnded(ended: EndedOperation): void {
    for (const listener of this.#listeners) {
      const notified = listener(ended).catch((error: unknown) => {
        this.#dependencies.log.error({ device: ended.deviceId, err: error }, 'a listener of ended operations failed')
      })
      this.#notifications.add(notified)
      void notified.then(() => this.#notifications.delete(notified))
    }
  }

  /** Restores the devices that an earlier process left changed; resolves after the first attempts. */
  async recover(): Promise<void> {
    await Promise.all([...this.#controllers.values()].map((controller) => controller.recover()))
  }

  /** Restores all devices, for at most 8 s; the rest is restored at the next start. */
  async close(): Promise<void> {
    const controllers = [...this.#controllers.values()]
    const tooLong = new AbortController()
    const limit = this.#dependencies.timers.delay(closingMs, tooLong.signal).catch(() => undefined)
    await Promise.race([Promise.all(controllers.map((controller) => controller.close())), limit])
    tooLong.abort()
    for (const controller of controllers) controller.halt()
    await Promise.all(this.#notifications)
  }
}

const dependsOnIt = ({ id, mode }: Operation) =>
  new Problem('dispatch_capability_conflict', `The operation ${id} (${mode}) depends on it`, {
    members: { operation_id: id, mode },
  })
