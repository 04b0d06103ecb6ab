import type { Clock, Log } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Capability } from '../capabilities/schema.ts'
import type { Device } from '../devices/device.ts'
import type { EnergyModeRow, Tables } from '../tables.ts'
import type { DispatchService, EndedOperation } from '../dispatch/dispatch.ts'
import { missingEvidence, type DispatchDevice } from '../dispatch/gate.ts'
import { dispatchRegisters } from '../dispatch/registers.ts'
import type { DispatchRequest } from '../dispatch/schema.ts'
import { corruptRecord } from '../dispatch/submission.ts'
import { Problem, unknownDevice } from '../problems.ts'
import {
  actions,
  checkCommand,
  dispatchModes,
  energyView,
  gatesOf,
  stopReasons,
  type EnergySources,
  type Readings,
} from './energy-view.ts'
import type { Energy, EnergyCommand, EnergyDevice, EnergyMode } from './schema.ts'
import { addStopRow, allModeRows, deleteEnergyRows, latestStopRows, writeModeRow } from './store.ts'

/** Duration of a command unless another one follows, milliseconds. */
const commandMs = 3_600_000
/** Number of stops kept per device. */
const keptStops = 50

type ManagedDevice = DispatchDevice & Pick<Device, 'displayName'>

interface EnergyDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly devices: { find(deviceId: string): ManagedDevice | undefined; ids(): string[] }
  readonly dispatch: DispatchService
  readonly capabilities: (deviceId: string) => Promise<readonly Capability[]>
  /** The latest values with the signs of the device, from the cache. */
  readonly readings: (deviceId: string) => Promise<Readings>
  /** Returns the state of the connection, for the administrator; null when there is none. */
  readonly connectionState: (deviceId: string) => string | null
  readonly isApproved: (name: string) => boolean
  readonly approve: (names: string[]) => Promise<void>
  /** Returns true if the write allowlist has the metric. */
  readonly isAllowlisted: (name: string) => boolean
  readonly isWriteAccessOn: () => boolean
  readonly publish: (event: { readonly type: 'energy'; readonly device_id: string }) => void
}

/** Caller of a command, and whether it came by the API or the page. */
interface CommandSource {
  readonly caller: string
  readonly via: 'api' | 'admin'
  /** The operation that the command replaces: with another one, or none, it is refused. */
  readonly expectedOperationId?: string | undefined
}

/** Reads the modes and records the ends of actions from now on. */
export async function openEnergyManager(dependencies: EnergyDependencies): Promise<EnergyManager> {
  const manager = new EnergyManager(dependencies, await allModeRows(dependencies.db))
  dependencies.dispatch.onEnded((ended) => manager.note(ended))
  return manager
}

/** One action per device at a time, for the callers its mode allows. The command line uses it too. */
export class EnergyManager {
  readonly #dependencies: EnergyDependencies
  readonly #modes: Map<string, EnergyModeRow>
  /** Devices whose mode is being changed; commands are refused meanwhile. */
  readonly #changing = new Set<string>()

  constructor(dependencies: EnergyDependencies, rows: readonly EnergyModeRow[]) {
    this.#dependencies = dependencies
    this.#modes = new Map(rows.map((row) => [row.device_id, row]))
  }

  async read(deviceId: string): Promise<Energy> {
    const sources = await this.#sources(this.#required(deviceId))
    if (sources.dispatch === undefined) throw corruptRecord()
    return energyView(sources)
  }

  /** The action that a command has begun, and the operation that carries it out; undefined while there is none. */
  running(deviceId: string) {
    const active = this.#dependencies.dispatch.activeOperation(deviceId)
    if (active?.origin !== 'energy') return undefined
    return { mode: this.#modeOf(deviceId), action: actions[active.mode], operationId: active.id }
  }

  async command(deviceId: string, command: EnergyCommand, source: CommandSource): Promise<Energy> {
    const { caller, via, expectedOperationId } = source
    this.#required(deviceId)
    const check = () =>
      checkCommand(command, {
        via,
        dispatch: this.#dependencies.dispatch.read(deviceId),
        mode: this.#changing.has(deviceId) ? 'off' : this.#modeOf(deviceId),
        isWriteAccessOn: this.#dependencies.isWriteAccessOn(),
        unapproved: this.#unapproved(),
      })
    check()
    if (command.action === 'auto') await this.#stop(deviceId)
    else {
      const request: DispatchRequest = {
        mode: dispatchModes[command.action],
        valid_until: new Date(this.#dependencies.clock.now() + commandMs).toISOString(),
        target_soc_percent: command.target_soc_percent,
        max_power_w: command.max_power_w,
        expected_operation_id: expectedOperationId,
      }
      await this.#dependencies.dispatch.submit(deviceId, request, { caller, origin: 'energy', check })
    }
    this.#changed(deviceId)
    return this.read(deviceId)
  }

  /** Ends what is active, and a command that is still beginning: it waits for its turn behind that. */
  async #stop(deviceId: string): Promise<void> {
    try {
      await this.#dependencies.dispatch.stop(deviceId)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'dispatch_not_found') throw error
    }
  }

  /** Returns every device with the details for administrators. */
  async devices(): Promise<EnergyDevice[]> {
    return Promise.all(this.#dependencies.devices.ids().map((id) => this.#describe(this.#required(id))))
  }

  /**
   * Changes the mode. An operation of the old mode is ended first, also one that is still beginning; when its restore fails the
   * mode stays.
   */
  async setMode(deviceId: string, mode: EnergyMode, by: string): Promise<EnergyDevice> {
    const device = this.#required(deviceId)
    if (this.#changing.has(deviceId)) throw new Problem('conflict', 'The mode of this device is being changed')
    if (mode === this.#modeOf(deviceId)) return this.#describe(device)
    if (mode !== 'off') this.#checkEntering(device)
    this.#changing.add(deviceId)
    try {
      const { dispatch } = this.#dependencies
      // A record that cannot be read has no operation that could be ended.
      if (!dispatch.readiness(deviceId).corrupt) await dispatch.handBack(deviceId, 'operator_cancelled', 'energy')
      if (mode !== 'off') await this.#dependencies.approve(this.#unapproved())
      const row = { device_id: deviceId, mode, changed_at: this.#dependencies.clock.now(), changed_by: by }
      await writeModeRow(this.#dependencies.db, row)
      this.#modes.set(deviceId, row)
    } finally {
      this.#changing.delete(deviceId)
    }
    this.#changed(deviceId)
    return this.#describe(device)
  }

  #checkEntering({ id, maxChargePowerW, maxDischargePowerW }: DispatchDevice): void {
    if (!this.#dependencies.isWriteAccessOn())
      throw new Problem('energy_write_support_required', 'Write access is off; switch it on first')
    if (maxChargePowerW === null || maxDischargePowerW === null)
      throw new Problem('dispatch_limits_missing', `The device ${id} has no power limits`)
    const missing = dispatchRegisters.filter((name) => !this.#dependencies.isAllowlisted(name))
    if (missing.length > 0)
      throw new Problem('energy_action_unavailable', `Not in the write allowlist: ${missing.join(', ')}`)
  }

  /** Resets a device that was removed or is another one now: off, without a history. */
  async reset(deviceId: string): Promise<void> {
    await deleteEnergyRows(this.#dependencies.db, deviceId)
    this.#modes.delete(deviceId)
    this.#changed(deviceId)
  }

  /** Records the end of an action. */
  async note({ deviceId, operation, stopReason }: EndedOperation): Promise<void> {
    if (operation.origin !== 'energy') return
    const { db, clock, log } = this.#dependencies
    const row = {
      device_id: deviceId,
      at: clock.now(),
      action: actions[operation.mode],
      reason: stopReasons[stopReason],
      operation_id: operation.id,
    }
    try {
      await addStopRow(db, row, keptStops)
      this.#changed(deviceId)
    } catch (error) {
      log.warn({ device: deviceId, err: error }, 'the end of an action could not be written down')
    }
  }

  async #describe(device: ManagedDevice): Promise<EnergyDevice> {
    const sources = await this.#sources(device)
    const stops = await latestStopRows(this.#dependencies.db, device.id, keptStops)
    const changed = this.#modes.get(device.id)
    return {
      ...energyView(sources),
      device_name: device.displayName,
      connection_state: this.#dependencies.connectionState(device.id),
      write_support_enabled: this.#dependencies.isWriteAccessOn(),
      engineering_mode: device.engineeringMode,
      max_charge_power_w: device.maxChargePowerW,
      max_discharge_power_w: device.maxDischargePowerW,
      grid_limit_w: sources.limitW,
      gates: gatesOf(sources),
      capabilities: sources.capabilities.map((record) => ({
        name: record.name,
        status: record.status,
        missing_evidence: missingEvidence(record),
      })),
      required_names: [...dispatchRegisters],
      approved_names: dispatchRegisters.filter((name) => this.#dependencies.isApproved(name)),
      mode_changed_at: changed === undefined ? null : new Date(changed.changed_at).toISOString(),
      mode_changed_by: changed?.changed_by ?? null,
      fault_code: sources.dispatch === undefined ? 'dispatch_record_corrupt' : sources.dispatch.fault_code,
      restore_attempts: sources.dispatch?.restore_attempts ?? 0,
      next_restore_at: sources.dispatch?.next_restore_at ?? null,
      stops: stops.map(({ at, action, reason, operation_id }) => ({
        at: new Date(at).toISOString(),
        action: action as EnergyDevice['stops'][number]['action'],
        reason: reason as EnergyDevice['stops'][number]['reason'],
        operation_id,
      })),
    }
  }

  async #sources(device: DispatchDevice): Promise<EnergySources> {
    const { id } = device
    const { capabilities, readings, dispatch } = this.#dependencies
    return {
      device,
      mode: this.#modeOf(id),
      capabilities: await capabilities(id),
      limitW: dispatch.gridLimitW(),
      readings: await readings(id),
      dispatch: dispatch.readiness(id).corrupt ? undefined : dispatch.read(id),
      active: dispatch.activeOperation(id),
      mayWrite: this.#dependencies.isWriteAccessOn() && this.#unapproved().length === 0,
    }
  }

  /** Registers the administrator did not approve. */
  #unapproved(): string[] {
    return dispatchRegisters.filter((name) => !this.#dependencies.isApproved(name))
  }

  #modeOf(deviceId: string): EnergyMode {
    return this.#modes.get(deviceId)?.mode ?? 'off'
  }

  #required(deviceId: string): ManagedDevice {
    const device = this.#dependencies.devices.find(deviceId)
    if (device === undefined) throw unknownDevice(deviceId)
    return device
  }

  #changed(deviceId: string): void {
    this.#dependencies.publish({ type: 'energy', device_id: deviceId })
  }
}
