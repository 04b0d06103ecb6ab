import type { Log, Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Device } from '../devices/device.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { CheckRestoreRow, Tables } from '../tables.ts'
import { deleteRestore, insertRestore, restoreRows } from './store.ts'

/** Pause before another attempt, at first and at most; milliseconds. */
const firstPauseMs = 5000
const maxPauseMs = 60_000

export interface RestoreDependencies {
  readonly db: Kysely<Tables>
  readonly timers: Timers
  readonly log: Log
  readonly device: (deviceId: string) => Device | undefined
  readonly runtime: (deviceId: string) => DeviceRuntime | undefined
  /** Runs work while no operation of the device is active or starts. */
  readonly guarded: <T>(deviceId: string, work: () => Promise<T>) => Promise<T>
}

/** Values that checks wrote and have to put back: stored before the write, and put back after a crash at the next start. */
export class PendingRestores {
  readonly #dependencies: RestoreDependencies
  readonly #pending = new Map<string, CheckRestoreRow>()
  readonly #cancels = new Map<string, () => void>()
  #isClosed = false

  constructor(dependencies: RestoreDependencies) {
    this.#dependencies = dependencies
  }

  /** Puts back what an earlier process left. */
  async start(): Promise<void> {
    for (const row of await restoreRows(this.#dependencies.db)) {
      this.#pending.set(row.device_id, row)
      this.#schedule(row, 0)
    }
  }

  close(): void {
    this.#isClosed = true
    for (const cancel of this.#cancels.values()) cancel()
  }

  has(deviceId: string): boolean {
    return this.#pending.has(deviceId)
  }

  /** Stores the value before it is replaced. */
  async add(row: CheckRestoreRow): Promise<void> {
    await insertRestore(this.#dependencies.db, row)
    this.#pending.set(row.device_id, row)
  }

  /** The value is back, or it is of another inverter now. */
  async forget(deviceId: string): Promise<void> {
    this.#cancels.get(deviceId)?.()
    this.#pending.delete(deviceId)
    await deleteRestore(this.#dependencies.db, deviceId)
  }

  /** Puts a value back that a check could not: again and again until it reads as before. */
  retry(deviceId: string): void {
    const row = this.#pending.get(deviceId)
    if (row !== undefined) this.#schedule(row, firstPauseMs)
  }

  #schedule(row: CheckRestoreRow, pauseMs: number): void {
    if (this.#isClosed) return
    const { timers, log } = this.#dependencies
    const run = () => {
      if (!this.#isPending(row)) return
      this.#attempt(row).catch((error: unknown) => {
        if (!this.#isPending(row)) return
        log.warn({ err: error, device: row.device_id, metric: row.metric }, 'a checked value could not be put back')
        this.#schedule(row, Math.min(maxPauseMs, Math.max(firstPauseMs, 2 * pauseMs)))
      })
    }
    this.#cancels.set(row.device_id, timers.after(pauseMs, run))
  }

  /** False when the device was removed meanwhile, or the value is back. */
  #isPending(row: CheckRestoreRow): boolean {
    return this.#pending.get(row.device_id) === row
  }

  async #attempt(row: CheckRestoreRow): Promise<void> {
    const { device_id: deviceId, serial, metric, old_value: old, test_value: test } = row
    const { device, runtime, guarded, log } = this.#dependencies
    const gateway = runtime(deviceId)
    if (gateway === undefined) throw new Error('the inverter is not connected')
    await gateway.identify()
    const isOther = serial !== null && device(deviceId)?.serial !== serial
    await guarded(deviceId, async () => {
      const { value } = await gateway.readFresh(metric)
      if (!this.#isPending(row)) return
      // Somebody has set it since, or another inverter answers.
      if (!isOther && typeof value === 'number' && Math.fround(value) === Math.fround(test))
        await gateway.writeConfirmed(metric, old, { cause: 'restore', caller: null, operationId: null })
    })
    if (!this.#isPending(row)) return
    await this.forget(deviceId)
    log.info({ device: deviceId, metric }, 'the value that a check had replaced is back')
  }
}
