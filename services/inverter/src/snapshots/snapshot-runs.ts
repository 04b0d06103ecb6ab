import { startRepeatedCheck } from '@hearth/notifications'
import { createKeyedQueue } from '@hearth/runtime'
import type { CatalogObject } from '../catalog/catalog.ts'
import { parameterKind } from '../catalog/parameter-kinds.ts'
import type { Identity } from '../metrics/device-identity.ts'
import { Problem, unknownDevice } from '../problems.ts'
import type { SnapshotDependencies } from './dependencies.ts'
import { emptyPayload, packPayload, unpackPayload } from './payload.ts'
import { isComplete, surplusSnapshots } from './retention.ts'
import type { SnapshotOrigin, SnapshotSettings } from './schema.ts'
import type { SnapshotRun } from './snapshot-run.ts'
import * as store from './store.ts'
import type { PackedSnapshot, SnapshotFacts } from './store.ts'

/** Interval at which automatic snapshots are due, and least time between two daily ones; milliseconds. */
const checkEvery = 60_000
const dayMs = 24 * 3_600_000 - checkEvery

/** Time that one answer takes beside the pause between requests, milliseconds. */
const answerMs = 100

/** Age at which an interrupted snapshot is not continued any more, milliseconds. */
const maxAgeMs = 24 * 3_600_000

const cancelled = 'Cancelled'
const ended = 'The service ended meanwhile'
const replaced = 'Another inverter or firmware answers'
const moved = 'The address of the inverter was changed'

/** The readings of snapshots: at most one of each inverter, on request or because one is due. */
export class SnapshotRuns {
  readonly #dependencies: SnapshotDependencies
  readonly #settings: () => SnapshotSettings
  readonly #queue = createKeyedQueue(8)
  readonly #runs = new Map<string, SnapshotRun>()
  /** Devices whose firmware changed since their last snapshot. */
  readonly #updated = new Set<string>()
  /** What answers since it changed; the device may still have what answered before. */
  readonly #identities = new Map<string, Identity>()
  #checks: { close(): Promise<void> } | undefined

  constructor(dependencies: SnapshotDependencies, settings: () => SnapshotSettings) {
    this.#dependencies = dependencies
    this.#settings = settings
  }

  async start(): Promise<void> {
    const { timers, log } = this.#dependencies
    await store.interruptReadings(this.#db, ended)
    this.#checks = startRepeatedCheck({ check: () => this.#check(), everyMs: checkEvery, timers, log })
  }

  async close(): Promise<void> {
    await this.#checks?.close()
    this.#checks = undefined
    await Promise.all([...this.#runs.values()].map((run) => run.cancel(ended)))
  }

  /** The reading of a device that is under way. */
  of(deviceId: string): SnapshotRun | undefined {
    return this.#runs.get(deviceId)
  }

  firmwareChanged(deviceId: string): void {
    this.#updated.add(deviceId)
  }

  /** Another inverter or another firmware answers: what was read of the one before is given up. */
  identityChanged(deviceId: string, identity: Identity): void {
    this.#identities.set(deviceId, identity)
    void this.#runs.get(deviceId)?.discard(replaced)
  }

  /** The device has another address, at which another inverter may answer. */
  async moved(deviceId: string): Promise<void> {
    this.#identities.delete(deviceId)
    await this.#runs.get(deviceId)?.discard(moved)
  }

  /** Parameters that a snapshot reads. */
  objects(): CatalogObject[] {
    return this.#dependencies.catalog.objects.filter((object) => parameterKind(object) !== undefined)
  }

  /** Time that one parameter takes, milliseconds: as measured by the newest snapshot, or by the pause that is set. */
  perParameterMs(deviceId: string, newestFirst: readonly SnapshotFacts[]): number {
    const last = newestFirst.find(isComplete)
    if (last?.finished_at != null && last.total_count > 0) return (last.finished_at - last.begun_at) / last.total_count
    return this.required(deviceId).requestGapMs + answerMs
  }

  /** Begins a snapshot. Throws `conflict` while another is read or the service does not run. */
  begin(
    deviceId: string,
    given: Pick<SnapshotFacts, 'name' | 'note' | 'taken_by'> & { origin: SnapshotOrigin },
  ): Promise<SnapshotFacts> {
    return this.#queue.run(deviceId, async () => {
      this.#refuseSecond(deviceId)
      const { firmware, serial } = this.required(deviceId)
      const payload = packPayload(emptyPayload())
      const row = {
        ...given,
        device_id: deviceId,
        state: 'reading' as const,
        detail: null,
        begun_at: this.#dependencies.timers.now(),
        finished_at: null,
        firmware,
        serial,
        read_count: 0,
        failed_count: 0,
        total_count: this.objects().length,
      }
      const stored = { ...row, id: await store.insertSnapshot(this.#db, { ...row, payload }) }
      await this.#run(stored, payload)
      return stored
    })
  }

  /** Goes on with an interrupted snapshot, from the start when another inverter or firmware answers. Throws `conflict` when it is too old. */
  resume({ payload, ...row }: PackedSnapshot): Promise<SnapshotFacts> {
    return this.#queue.run(row.device_id, async () => {
      this.#refuseSecond(row.device_id)
      if (row.state !== 'interrupted') throw new Problem('conflict', 'The snapshot is complete')
      if (this.#dependencies.timers.now() - row.begun_at > maxAgeMs)
        throw new Problem('conflict', 'The snapshot was begun more than a day ago; take another one')
      const resumed = { ...row, state: 'reading' as const, detail: null }
      await store.updateSnapshot(this.#db, row.id, { state: 'reading', detail: null })
      await this.#run(resumed, payload)
      return resumed
    })
  }

  /** Ends the reading of a device; what was read is kept. */
  async cancel(deviceId: string): Promise<void> {
    await this.#runs.get(deviceId)?.cancel(cancelled)
  }

  /** Deletes the snapshots of a device that are more than the settings keep. */
  async trim(deviceId: string): Promise<void> {
    const rows = await store.snapshotRows(this.#db, deviceId)
    const readings = rows.filter(({ origin }) => origin === 'current')
    const newest = readings.find(({ state }) => state !== 'interrupted')
    const replaced = readings.filter((row) => row !== newest && row.state !== 'reading').map(({ id }) => id)
    await store.deleteSnapshots(this.#db, [...surplusSnapshots(rows, this.#settings().kept), ...replaced])
  }

  /** Throws `unknown_device`. */
  required(deviceId: string) {
    const device = this.#dependencies.devices().find(({ id }) => id === deviceId)
    if (device === undefined) throw unknownDevice(deviceId)
    return device
  }

  get #db() {
    return this.#dependencies.database.query
  }

  async #check(): Promise<void> {
    for (const { id } of this.#dependencies.devices())
      await this.#checkDevice(id).catch((error: unknown) => {
        this.#dependencies.log.warn({ err: error, device: id }, 'an automatic snapshot could not be begun')
      })
  }

  /** Takes the automatic snapshot of a device that is due, or goes on with one that was interrupted. */
  async #checkDevice(id: string): Promise<void> {
    const { after_firmware: afterFirmware, daily } = this.#settings()
    if (this.#runs.has(id) || this.#dependencies.runtime(id)?.liveness.status().consecutiveFailures !== 0) return
    const newest = (await store.snapshotRows(this.#db, id)).find(({ origin }) => origin !== 'current')
    const age = this.#dependencies.timers.now() - (newest?.begun_at ?? -Infinity)
    const isUnfinished = newest?.state === 'interrupted' && newest.origin !== 'manual' && newest.detail !== cancelled
    if (afterFirmware && this.#isUpdated(id, newest, age)) await this.#beginAutomatic(id, 'firmware')
    else if (isUnfinished && age < maxAgeMs) await this.#resumeNewest(id, newest.id)
    else if (daily && age >= dayMs) await this.#beginAutomatic(id, 'daily')
  }

  async #resumeNewest(deviceId: string, id: number): Promise<void> {
    const row = await store.snapshotRow(this.#db, deviceId, id)
    if (row !== undefined) await this.resume(row)
  }

  /** True if no snapshot was begun since the firmware changed. An inverter that names it differently each time gets one a day. */
  #isUpdated(deviceId: string, newest: SnapshotFacts | undefined, age: number): boolean {
    if (this.#updated.has(deviceId)) return true
    const { firmware } = this.required(deviceId)
    if (newest?.origin === 'firmware' && age < dayMs) return false
    return firmware !== null && newest?.firmware != null && newest.firmware !== firmware
  }

  async #beginAutomatic(deviceId: string, origin: 'firmware' | 'daily'): Promise<void> {
    this.#updated.delete(deviceId)
    await this.begin(deviceId, { origin, name: null, note: null, taken_by: null })
  }

  async #run(row: SnapshotFacts, packed: string): Promise<void> {
    const { SnapshotRun } = await import('./snapshot-run.ts')
    const perParameterMs = this.perParameterMs(row.device_id, await store.snapshotRows(this.#db, row.device_id))
    const payload = this.#isOfAnother(row) ? emptyPayload() : unpackPayload(packed)
    const run = new SnapshotRun({ ...this.#dependencies, row, payload, objects: this.objects(), perParameterMs })
    this.#runs.set(row.device_id, run)
    // Not awaited: it takes a minute.
    void run.run().then((isDone) => this.#end(run, isDone))
    this.#dependencies.changed()
  }

  /** True if a snapshot was begun with another inverter or firmware than the one that answers. */
  #isOfAnother(row: SnapshotFacts): boolean {
    const { firmware, serial } = this.#identities.get(row.device_id) ?? this.required(row.device_id)
    const isOther = (begun: string | null, present: string | null) => begun !== null && begun !== present
    return isOther(row.firmware, firmware) || isOther(row.serial, serial)
  }

  async #end(run: SnapshotRun, isDone: boolean): Promise<void> {
    const { log, changed } = this.#dependencies
    const { device_id: deviceId } = run.row
    try {
      if (isDone) await this.#tellChanges(deviceId, run.id)
      await this.trim(deviceId)
    } catch (error) {
      log.error({ err: error, device: deviceId }, 'a snapshot could not be compared')
    }
    this.#runs.delete(deviceId)
    changed()
  }

  /** Compares a complete snapshot with the one before it, and tells what nobody here wrote. */
  async #tellChanges(deviceId: string, id: number): Promise<void> {
    const { timers, reports, devices, catalog } = this.#dependencies
    const db = this.#db
    const rows = (await store.snapshotRows(db, deviceId)).filter(isComplete)
    const second = await store.snapshotRow(db, deviceId, id)
    const before = rows.find((row) => row.id < id && row.serial === second?.serial)
    const first = before && (await store.snapshotRow(db, deviceId, before.id))
    if (second === undefined || first === undefined) return
    const [{ compareSnapshots }, { tellChanges }] = await Promise.all([
      import('./compare-snapshots.ts'),
      import('./change-notices.ts'),
    ])
    const nameOf = (named: string) => devices().find((device) => device.id === named)?.displayName || named
    await tellChanges(await compareSnapshots({ db, catalog }, first, second), { db, clock: timers, reports, nameOf })
  }

  #refuseSecond(deviceId: string): void {
    if (this.#checks === undefined)
      throw new Problem('conflict', 'The service does not run, and only a running one reads from inverters')
    if (this.#runs.has(deviceId)) throw new Problem('conflict', 'A snapshot of this inverter is being read already')
  }
}
