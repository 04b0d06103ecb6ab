import type { CatalogObject } from '../catalog/catalog.ts'
import type { SnapshotDependencies } from './dependencies.ts'
import { emptyPayload, packPayload, type SnapshotPayload } from './payload.ts'
import { readParameters, ReadingInterrupted } from './parameter-reading.ts'
import type { SnapshotProgress } from './schema.ts'
import { updateSnapshot, type SnapshotFacts } from './store.ts'

/** Parameters after which the values read so far are stored, and least time between two updates of the pages, milliseconds. */
const storeEvery = 40
const updateMs = 1000

/** Time for a request that is under way when the reading is cancelled, milliseconds. */
const closeMs = 2000

interface RunOptions extends SnapshotDependencies {
  readonly row: SnapshotFacts
  readonly payload: SnapshotPayload
  readonly objects: readonly CatalogObject[]
  /** Expected time for one parameter, milliseconds. */
  readonly perParameterMs: number
}

/** The reading of one snapshot. */
export class SnapshotRun {
  readonly #options: RunOptions
  readonly #end = new AbortController()
  readonly #begun: { readonly at: number; readonly done: number }
  #waitingFor: string | null = null
  #updatedAt = -Infinity
  #running: Promise<boolean> | undefined

  constructor(options: RunOptions) {
    this.#options = options
    this.#begun = { at: options.timers.monotonic(), done: this.#done }
  }

  get id(): number {
    return this.#options.row.id
  }

  get row(): SnapshotFacts {
    return this.#options.row
  }

  progress(): SnapshotProgress {
    const { row, objects, timers, perParameterMs } = this.#options
    const read = this.#done - this.#begun.done
    const measured = read > 20 ? (timers.monotonic() - this.#begun.at) / read : perParameterMs
    return {
      snapshot_id: row.id,
      origin: row.origin,
      done: this.#done,
      total: objects.length,
      remaining_seconds: Math.ceil((Math.max(0, objects.length - this.#done) * measured) / 1000),
      waiting_for: this.#waitingFor,
    }
  }

  /** Reads what is missing and stores the snapshot. Resolves with true when it is complete. Never rejects. */
  run(): Promise<boolean> {
    this.#running ??= this.#run()
    return this.#running
  }

  /** Ends the reading because another inverter may answer: nothing of what was read is kept, and it may be begun again. */
  discard(reason: string): Promise<void> {
    Object.assign(this.#options.payload, emptyPayload())
    return this.cancel(reason)
  }

  /** Ends the reading; what was read is kept, and may be continued. */
  async cancel(reason: string): Promise<void> {
    this.#end.abort(new ReadingInterrupted(reason))
    await Promise.race([this.#running, this.#options.timers.delay(closeMs)])
  }

  get #done(): number {
    const { values, failures } = this.#options.payload
    return Object.keys(values).length + Object.keys(failures).length
  }

  async #run(): Promise<boolean> {
    const { objects, payload, timers, log, row } = this.#options
    try {
      await readParameters(objects, payload, {
        timers,
        device: () => this.#options.runtime(row.device_id),
        heartbeat: this.#heartbeat(),
        onProgress: (waitingFor) => this.#update(waitingFor),
        signal: this.#end.signal,
      })
      // The last values may have come over a new connection.
      await this.#options
        .runtime(row.device_id)
        ?.identify()
        .catch(() => undefined)
      this.#end.signal.throwIfAborted()
      await this.#store({ state: 'complete', detail: null, finished_at: timers.now() })
      return true
    } catch (error) {
      const detail = error instanceof ReadingInterrupted ? error.message : 'An error ended the reading; see the log'
      if (!(error instanceof ReadingInterrupted)) log.error({ err: error, device: row.device_id }, 'snapshot failed')
      await this.#store({ state: 'interrupted', detail }).catch((failure: unknown) =>
        log.error({ err: failure, device: row.device_id }, 'a snapshot could not be stored'),
      )
      return false
    }
  }

  #heartbeat(): CatalogObject {
    const { catalog } = this.#options
    const object = catalog.byName(catalog.roles.heartbeat)
    if (object === undefined) throw new Error(`the catalog has no ${catalog.roles.heartbeat}`)
    return object
  }

  #update(waitingFor: string | null): void {
    const { timers, changed, log, row } = this.#options
    const isNew = waitingFor !== this.#waitingFor
    this.#waitingFor = waitingFor
    if (waitingFor === null && this.#done % storeEvery === 0)
      this.#store({}).catch((error: unknown) =>
        log.warn({ err: error, device: row.device_id }, 'a snapshot was not stored'),
      )
    if (!isNew && timers.monotonic() - this.#updatedAt < updateMs) return
    this.#updatedAt = timers.monotonic()
    changed()
  }

  /** Stores what was read so far. */
  async #store(values: Partial<Pick<SnapshotFacts, 'state' | 'detail' | 'finished_at'>>): Promise<void> {
    const { database, payload, row } = this.#options
    const firmware = payload.values['svnversion']
    const serial = payload.values['inverter_serial']
    await updateSnapshot(database.query, row.id, {
      ...values,
      ...(firmware === undefined ? {} : { firmware: String(firmware) }),
      ...(serial === undefined ? {} : { serial: String(serial) }),
      read_count: Object.keys(payload.values).length,
      failed_count: Object.keys(payload.failures).length,
      payload: packPayload(payload),
    })
  }
}
