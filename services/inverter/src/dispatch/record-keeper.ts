import type { Log } from '@hearth/runtime'
import { Problem } from '../problems.ts'
import { advance } from './dispatch-machine.ts'
import { dispatchView } from './dispatch-view.ts'
import { idle, storedRecord, type DispatchRecord } from './record.ts'
import type { Dispatch } from './schema.ts'
import type { DispatchStore } from './store.ts'

export interface KeeperParts {
  readonly deviceId: string
  readonly store: DispatchStore
  readonly log: Log
  /** Told of every change that shows. */
  readonly changed: (dispatch: Dispatch) => void
  /** The stored record; undefined for a device without a row. */
  readonly stored: { readonly record: DispatchRecord | undefined; readonly version: number } | undefined
}

/** The record of one device in memory and on the disk. */
export class RecordKeeper {
  readonly #parts: KeeperParts
  #record: DispatchRecord | undefined
  #version: number
  #shown = ''
  #unsaved = false

  constructor(parts: KeeperParts) {
    this.#parts = parts
    this.#record = parts.stored === undefined ? idle() : parts.stored.record
    this.#version = parts.stored?.version ?? 0
  }

  /** Undefined while the stored one cannot be read. */
  get record(): DispatchRecord | undefined {
    return this.#record
  }

  /** The disk does not have what is in memory. */
  get isUnsaved(): boolean {
    return this.#unsaved
  }

  /** Stores the record, then believes it. Throws `dispatch_store_unavailable` and changes nothing when it cannot. */
  async save(record: DispatchRecord): Promise<void> {
    await this.#store(record)
    this.#believe(record)
  }

  /**
   * Believes the record even if it cannot be stored. For the way back to the device's own settings only: what is on the disk
   * then leads to the same end after a crash.
   */
  async saveIfPossible(record: DispatchRecord): Promise<void> {
    const wasUnsaved = this.#unsaved
    try {
      await this.#store(record)
    } catch (error) {
      this.#unsaved = true
      if (!wasUnsaved)
        this.#parts.log.error({ device: this.#parts.deviceId, err: error }, 'the dispatch record cannot be stored')
    }
    this.#believe(record)
  }

  /** Plans the end of an operation that an earlier process left behind. Returns true if there is anything to end. */
  presumeEnding(): boolean {
    if (this.#record === undefined || this.#record.phase === 'idle') return false
    const ending = { kind: 'stop', stopReason: 'shutdown', faultCode: 'recovery_required' } as const
    this.#record = advance(this.#record, ending).record
    this.#unsaved = true
    return true
  }

  /** Brings the disk up to memory; throws `dispatch_store_unavailable` when that is not possible. */
  async flush(): Promise<void> {
    if (!this.#unsaved || this.#record === undefined) return
    await this.save(this.#record)
  }

  /** Forgets the record, on the disk too. */
  async discard(): Promise<void> {
    await this.#parts.store.remove(this.#parts.deviceId)
    this.#version = 0
    this.#unsaved = false
    this.#believe(idle())
  }

  /** Tells listeners that something beside the record shows differently. */
  announce(): void {
    const view = this.view()
    if (view !== undefined) this.#parts.changed(view)
  }

  /** As the API shows it; undefined while the stored one cannot be read. */
  view(): Dispatch | undefined {
    return this.#record === undefined ? undefined : dispatchView(this.#parts.deviceId, this.#record, this.#unsaved)
  }

  async #store(record: DispatchRecord): Promise<void> {
    const { state, restoreRequired, record: text } = storedRecord(record)
    const version = this.#version + 1
    try {
      const row = { version, state, restore_required: restoreRequired ? 1 : 0, record: text }
      await this.#parts.store.save(this.#parts.deviceId, row)
    } catch (error) {
      throw new Problem('dispatch_store_unavailable', 'The dispatch record cannot be stored', { cause: error })
    }
    this.#version = version
    this.#unsaved = false
  }

  #believe(record: DispatchRecord): void {
    this.#record = record
    const view = dispatchView(this.#parts.deviceId, record, this.#unsaved)
    const text = JSON.stringify(view)
    if (text === this.#shown) return
    this.#shown = text
    this.#parts.changed(view)
  }
}
