import type { Database } from '@hearth/database'
import type { Log, Timers } from '@hearth/runtime'
import { openApprovals, type Approvals } from './approvals/approvals.ts'
import { Capabilities } from './capabilities/capabilities.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Config } from './config.ts'
import type { Tables } from './database/tables.ts'
import { DeviceGraph } from './devices/device-graph.ts'
import { openDevices, type Devices } from './devices/devices.ts'
import { createEmbeddedSimulator, type EmbeddedSimulator } from './devices/embedded-simulator.ts'
import { simulatedDevice, verifySimulated } from './devices/simulated-device.ts'
import { openDispatch, type DispatchService } from './dispatch/dispatch.ts'
import { isDispatchRegister } from './dispatch/registers.ts'
import type { DispatchStore } from './dispatch/store.ts'
import type { Identity } from './metrics/device-identity.ts'
import type { DeviceRuntime } from './devices/device-runtime.ts'
import { openEnergyManager, type EnergyManager } from './energy/energy.ts'
import type { Events } from './events/events.ts'
import { startLiveValues, type LiveValues } from './events/live-values.ts'
import { createJournal, type Journal, type JournalEntry } from './journal/journal.ts'
import { readEnergy } from './energy/energy-readings.ts'
import { MetricWrites } from './metrics/write-metric.ts'
import { Problem } from './problems.ts'
import { createReadiness, type ReadinessReport } from './readiness/readiness.ts'
import type { SettingsKeeper } from './settings/settings.ts'

export interface ControlParts {
  readonly config: Config
  readonly log: Log
  readonly timers: Timers
  readonly catalog: Catalog
  readonly database: Database<Tables>
  readonly isOffline: boolean
  readonly events: Events
  readonly settings: SettingsKeeper
  readonly isStopping: () => boolean
  /** Hears of every exchange with a device, and how long it took, seconds. */
  readonly onExchange: (deviceId: string, seconds: number) => void
  readonly wrapDispatchStore?: (store: DispatchStore) => DispatchStore
}

/** Opens everything; nothing is sent to a device before `start`. */
export async function openControl(parts: ControlParts): Promise<Control> {
  return new Control(parts).open()
}

/** Everything between the configured devices and what is done with them. */
export class Control {
  readonly #parts: ControlParts
  readonly #simulator: EmbeddedSimulator
  readonly #live: LiveValues
  readonly journal: Journal
  readonly graph: DeviceGraph
  readonly readiness: ReadinessReport
  readonly writes: MetricWrites
  readonly capabilities: Capabilities
  devices!: Devices
  approvals!: Approvals
  dispatch!: DispatchService
  energy!: EnergyManager

  constructor(parts: ControlParts) {
    const { catalog, timers, database, events, settings, config } = parts
    this.#parts = parts
    this.journal = createJournal(database, timers)
    this.#simulator = createEmbeddedSimulator({ catalog, timers, dataDirectory: config.dataDirectory })
    this.graph = this.#createGraph()
    this.#live = startLiveValues({
      catalog,
      timers,
      devices: () => this.graph.devices(),
      listeners: () => events.listeners(),
      intervalMs: () => settings.current().live_interval_seconds * 1000,
      readiness: (runtime) => this.readiness.device(runtime),
      publish: (event) => events.publish(event),
    })
    this.readiness = createReadiness({
      devices: () => this.graph.devices(),
      dispatch: (id) => this.dispatch.readiness(id),
      nameOf: (objectId) => catalog.byId(objectId)?.name,
      isStopping: parts.isStopping,
    })
    this.writes = new MetricWrites({
      catalog,
      isApproved: (name) => this.approvals.isApproved(name),
      isWriteAccessOn: () => parts.settings.isWriteAccessOn(),
      checkUndisturbed: (id, name) => this.#checkUndisturbed(id, name),
      now: () => timers.now(),
    })
    this.capabilities = new Capabilities({
      db: database.query,
      clock: timers,
      log: parts.log,
      devices: { find: (id) => this.devices.find(id) },
      guarded: (id, names, change) => this.dispatch.guardedFor(id, names, change),
      changed: () => events.publish({ type: 'changed', collection: 'capabilities' }),
    })
  }

  async open(): Promise<Control> {
    const { catalog, timers, database, log, settings, events, wrapDispatchStore } = this.#parts
    this.approvals = await openApprovals({
      database,
      catalog,
      clock: timers,
      whileRevoking: (names, change) => this.#whileRevoking(names, change),
    })
    this.devices = await openDevices(database, {
      clock: timers,
      hooks: {
        whileLeaving: (id, change) => this.dispatch.whileHandedBack(id, 'device_reconfigured', change),
        rebuild: (devices) => this.#rebuild(devices),
        afterLeaving: (id) => this.#forget(id),
        guarded: (id, change) => this.dispatch.guarded(id, change),
        changed: () => events.publish({ type: 'changed', collection: 'devices' }),
      },
    })
    this.dispatch = await openDispatch({
      db: database.query,
      timers,
      log,
      devices: this.devices,
      gateways: (id) => this.graph.device(id)?.gateway,
      capabilities: (id) => this.capabilities.read(id),
      isApproved: (name) => this.approvals.isApproved(name),
      isWriteAccessOn: () => settings.isWriteAccessOn(),
      publish: ({ device_id }) => events.publish({ type: 'dispatch', device_id }),
      ...(wrapDispatchStore === undefined ? {} : { wrapStore: wrapDispatchStore }),
    })
    this.energy = await this.#openEnergy()
    return this
  }

  async setWriteAccess(enabled: boolean): Promise<void> {
    const change = () => this.#parts.settings.setWriteAccess(enabled)
    await (enabled ? change() : this.#whileAllHandedBack(change))
  }

  /** Connects the devices and hands back what an earlier process left behind. */
  async start(withSimulated: boolean): Promise<void> {
    if (this.#parts.isOffline) return
    if (withSimulated && this.devices.all().length === 0) await this.devices.add(simulatedDevice, { isSimulated: true })
    else await this.graph.rebuild(this.devices.all())
    for (const { id, isSimulated } of this.devices.all()) if (isSimulated) await verifySimulated(id, this.capabilities)
    // Readiness says when it is done; a device that is off must not hold up the start.
    void this.dispatch.recover().catch((error: unknown) => this.#parts.log.error({ err: error }, 'recovery failed'))
  }

  /** Gives every device its own settings back, as far as that is possible in a few seconds. */
  async handBackAll(): Promise<void> {
    if (!this.#parts.isOffline) await this.dispatch.close()
  }

  async close(): Promise<void> {
    this.#live.close()
    await this.graph.close()
    await this.#simulator.close()
  }

  #createGraph(): DeviceGraph {
    const { catalog, timers, log, onExchange } = this.#parts
    return new DeviceGraph({
      catalog,
      timers,
      log,
      journal: (entry) => this.#noteWrite(entry),
      simulated: () => this.#simulator.endpoint(),
      onValue: (id, object) => this.#live.note(id, object),
      onExchange,
      onIdentity: (id, identity) => this.#noteIdentity(id, identity),
    })
  }

  /** What was written stays written: a disk that refuses must not make a write fail, least of all one that hands back. */
  async #noteWrite(entry: JournalEntry): Promise<void> {
    try {
      await this.journal.add(entry)
    } catch (error) {
      this.#parts.log.error({ err: error, device: entry.deviceId, metric: entry.metric }, 'a write could not be noted')
    }
  }

  #openEnergy(): Promise<EnergyManager> {
    const { catalog, timers, database, log, settings, events } = this.#parts
    const stateOf = (runtime: DeviceRuntime | undefined) =>
      runtime === undefined ? null : this.readiness.device(runtime).state
    return openEnergyManager({
      db: database.query,
      clock: timers,
      log,
      devices: this.devices,
      dispatch: this.dispatch,
      capabilities: (id) => this.capabilities.read(id),
      readings: (id) => readEnergy(this.graph.device(id), catalog),
      connectionState: (id) => stateOf(this.graph.device(id)),
      isApproved: (name) => this.approvals.isApproved(name),
      approve: (names) => this.approvals.approve(names),
      isAllowlisted: (name) => catalog.allowlist.has(name),
      isWriteAccessOn: () => settings.isWriteAccessOn(),
      publish: (event) => events.publish(event),
    })
  }

  async #rebuild(devices: Parameters<DeviceGraph['rebuild']>[0]): Promise<void> {
    if (!this.#parts.isOffline) await this.graph.rebuild(devices)
  }

  /** Nothing starts on any device between its handing back and the change that takes away the right to write. */
  #whileAllHandedBack(change: () => Promise<void>): Promise<void> {
    const around = (inner: () => Promise<void>, id: string) => () =>
      this.dispatch.whileHandedBack(id, 'write_not_allowed', inner)
    return this.devices.ids().reduceRight(around, change)()
  }

  /** Another inverter under the same name, or none: what was known of the old one counts no more. */
  async #forget(id: string): Promise<void> {
    await this.capabilities.reset(id)
    await this.energy.reset(id)
    await this.dispatch.discard(id)
  }

  #whileRevoking(names: readonly string[], change: () => Promise<void>): Promise<void> {
    const isDispatched = names.some(isDispatchRegister)
    return isDispatched ? this.#whileAllHandedBack(change) : change()
  }

  #checkUndisturbed(id: string, name: string): void {
    if (this.dispatch.isRestoring(id))
      throw new Problem('device_maintenance', 'Previous settings of the device are being restored', {
        retryAfterSeconds: 5,
      })
    const active = this.dispatch.activeOperation(id)
    if (active !== undefined && isDispatchRegister(name))
      throw new Problem('dispatch_operation_conflict', `The operation ${active.id} uses ${name}; stop it first`, {
        members: { operation_id: active.id },
      })
  }

  /**
   * Takes verifications away when another firmware or another inverter answers; rejects, so that nothing is written, when that
   * cannot be stored. The device list may be waiting for the very operation that this is part of, so it follows by itself.
   */
  async #noteIdentity(id: string, { firmware, serial }: Identity): Promise<'same' | 'changed'> {
    const known = this.devices.find(id)
    if (known === undefined) return 'same'
    // What is not told says nothing: on a bad line the question for it may stay unanswered for a while.
    const identity = { firmware: firmware ?? known.firmware, serial: serial ?? known.serial }
    if (identity.firmware === known.firmware && identity.serial === known.serial) return 'same'
    const isOther = known.serial !== null && identity.serial !== known.serial
    const isUpdated = known.firmware !== null && identity.firmware !== known.firmware
    if (isOther) await this.capabilities.inverterChanged(id)
    else if (isUpdated) await this.capabilities.firmwareChanged(id, identity.firmware ?? '')
    void this.devices.setIdentity(id, identity).catch((error: unknown) => {
      this.#parts.log.error({ err: error, device: id }, 'the firmware could not be noted')
    })
    return isOther || isUpdated ? 'changed' : 'same'
  }
}
