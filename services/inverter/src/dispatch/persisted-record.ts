import type { Log } from '@hearth/runtime'
import { Problem } from '../problems.ts'
import { advance } from './dispatch-machine.ts'
import { unmeasured } from './deviation.ts'
import { directionOf } from './next-setpoint.ts'
import { idle, storedRecord, type DispatchRecord, isRestoreRequired, operationOf, stateOf } from './record.ts'
import type { Dispatch } from './schema.ts'
import type { DispatchStore } from './store.ts'

export interface PersistedRecordDependencies {
  readonly deviceId: string
  readonly store: DispatchStore
  readonly log: Log
  /** Called after every visible change. */
  readonly changed: (dispatch: Dispatch) => void
  /** The stored record; undefined for a device without a row. */
  readonly stored: { readonly record: DispatchRecord | undefined; readonly version: number } | undefined
}

/** The record of one device in memory and on the disk. */
export class PersistedRecord {
  readonly #dependencies: PersistedRecordDependencies
  #record: DispatchRecord | undefined
  #version: number
  #shown = ''
  #unsaved = false

  constructor(dependencies: PersistedRecordDependencies) {
    this.#dependencies = dependencies
    this.#record = dependencies.stored === undefined ? idle() : dependencies.stored.record
    this.#version = dependencies.stored?.version ?? 0
  }

  /** Undefined while the stored one cannot be read. */
  get record(): DispatchRecord | undefined {
    return this.#record
  }

  /** The disk does not have what is in memory. */
  get isUnsaved(): boolean {
    return this.#unsaved
  }

  /**
   * Stores the record, then makes it the current one. Throws `dispatch_store_unavailable` and changes nothing when it cannot.
   */
  async save(record: DispatchRecord): Promise<void> {
    await this.#store(record)
    this.#accept(record)
  }

  /**
   * Uses the record even if it cannot be stored. For restoring the device's own settings only: the record on the disk has the
   * same result after a crash.
   */
  async saveIfPossible(record: DispatchRecord): Promise<void> {
    const wasUnsaved = this.#unsaved
    try {
      await this.#store(record)
    } catch (error) {
      this.#unsaved = true
      if (!wasUnsaved)
        this.#dependencies.log.error(
          { device: this.#dependencies.deviceId, err: error },
          'the dispatch record cannot be stored',
        )
    }
    this.#accept(record)
  }

  /** Plans the end of an operation that an earlier process left behind. Returns true if there is anything to end. */
  planRecovery(): boolean {
    if (this.#record === undefined || this.#record.phase === 'idle') return false
    const ending = { kind: 'stop', stopReason: 'shutdown', faultCode: 'recovery_required' } as const
    this.#record = advance(this.#record, ending).record
    this.#unsaved = true
    return true
  }

  /** Writes a record that is only in memory to the database; throws `dispatch_store_unavailable` when that is not possible. */
  async flush(): Promise<void> {
    if (!this.#unsaved || this.#record === undefined) return
    await this.save(this.#record)
  }

  /** Deletes the record in memory and in the database. */
  async discard(): Promise<void> {
    await this.#dependencies.store.remove(this.#dependencies.deviceId)
    this.#version = 0
    this.#unsaved = false
    this.#accept(idle())
  }

  /** Notifies listeners of a change that is not in the record. */
  announce(): void {
    const view = this.view()
    if (view !== undefined) this.#dependencies.changed(view)
  }

  /** As the API shows it; undefined while the stored one cannot be read. */
  view(): Dispatch | undefined {
    return this.#record === undefined
      ? undefined
      : dispatchView(this.#dependencies.deviceId, this.#record, this.#unsaved)
  }

  async #store(record: DispatchRecord): Promise<void> {
    const version = this.#version + 1
    try {
      await this.#dependencies.store.save(this.#dependencies.deviceId, { version, ...storedRecord(record) })
    } catch (error) {
      throw new Problem('dispatch_store_unavailable', 'The dispatch record cannot be stored', { cause: error })
    }
    this.#version = version
    this.#unsaved = false
  }

  #accept(record: DispatchRecord): void {
    this.#record = record
    const view = dispatchView(this.#dependencies.deviceId, record, this.#unsaved)
    const text = JSON.stringify(view)
    if (text === this.#shown) return
    this.#shown = text
    this.#dependencies.changed(view)
  }
}

const controlStates = {
  idle: 'restored',
  precheck: 'restored',
  applying: 'controlled',
  replacing: 'controlled',
  controlling: 'controlled',
  restoring: 'unknown',
  fault: 'unknown',
} as const

/**
 * A record as the API shows it. `isUnsaved` marks a device that was handed back while the disk refused to say so: it stays
 * in `fault` until the record is stored.
 */
export function dispatchView(deviceId: string, record: DispatchRecord, isUnsaved: boolean): Dispatch {
  const operation = operationOf(record)
  const isStuck = record.phase === 'idle' && isUnsaved
  const commandedW = 'commandedW' in record ? record.commandedW : 0
  const isHold = operation?.mode === 'hold'
  return {
    device_id: deviceId,
    operation_id: operation?.id ?? null,
    mode: operation?.mode ?? null,
    state: isStuck ? 'fault' : stateOf(record),
    phase: isStuck ? 'fault' : record.phase,
    control_state: controlStates[record.phase],
    restore_required: isRestoreRequired(record),
    target_soc_percent: operation?.targetSocPercent ?? null,
    max_power_w: operation === undefined || isHold ? null : operation.maxPowerW,
    max_power_w_requested: operation?.requestedPowerW ?? null,
    max_power_w_clamped: operation !== undefined && !isHold && operation.maxPowerW !== operation.requestedPowerW,
    valid_until: operation === undefined ? null : new Date(operation.until).toISOString(),
    commanded_direction: directionOf(commandedW),
    commanded_power_w: Math.abs(commandedW),
    ...unmeasured,
    stop_reason: 'stopReason' in record ? record.stopReason : null,
    fault_code: isStuck ? 'dispatch_store_unavailable' : 'faultCode' in record ? record.faultCode : null,
    replaced: operation?.isReplacement ?? false,
    restore_attempts: 'attempts' in record ? record.attempts : 0,
    next_restore_at: record.phase === 'fault' ? new Date(record.nextRestoreAt).toISOString() : null,
  }
}
