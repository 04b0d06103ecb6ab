import type { Identity } from '../metrics/device-identity.ts'
import { Problem } from '../problems.ts'
import type { SnapshotDependencies } from './dependencies.ts'
import { unpackPayload } from './payload.ts'
import { beforeFirmware, isComplete } from './retention.ts'
import {
  maxNamed,
  type DifferencesQuery,
  type Snapshot,
  type SnapshotChange,
  type SnapshotContent,
  type SnapshotCreate,
  type SnapshotDifferences,
  type SnapshotList,
  type SnapshotSettings,
} from './schema.ts'
import { SnapshotRuns } from './snapshot-runs.ts'
import { openSnapshotSettings, type SnapshotSettingsStore } from './snapshot-settings.ts'
import { viewOf } from './snapshot-view.ts'
import * as store from './store.ts'
import type { PackedSnapshot } from './store.ts'

/** The snapshots of the parameters of all inverters. */
export type Snapshots = Awaited<ReturnType<typeof openSnapshots>>

/** Reads the settings. Nothing is read from an inverter before `start`. */
export async function openSnapshots(dependencies: SnapshotDependencies) {
  return new ParameterSnapshots(dependencies, await openSnapshotSettings(dependencies.database.query))
}

class ParameterSnapshots {
  readonly #dependencies: SnapshotDependencies
  readonly #settings: SnapshotSettingsStore
  readonly #runs: SnapshotRuns

  constructor(dependencies: SnapshotDependencies, settings: SnapshotSettingsStore) {
    this.#dependencies = dependencies
    this.#settings = settings
    this.#runs = new SnapshotRuns(dependencies, settings.current)
  }

  start(): Promise<void> {
    return this.#runs.start()
  }

  close(): Promise<void> {
    return this.#runs.close()
  }

  settings = (): SnapshotSettings => this.#settings.current()

  async change(settings: SnapshotSettings): Promise<SnapshotSettings> {
    await this.#settings.change(settings)
    for (const { id } of this.#dependencies.devices()) await this.#runs.trim(id)
    this.#dependencies.changed()
    return settings
  }

  /** Throws `unknown_device`. */
  async list(deviceId: string): Promise<SnapshotList> {
    const device = this.#runs.required(deviceId)
    const rows = await store.snapshotRows(this.#db, deviceId)
    const { length } = this.#runs.objects()
    return {
      device_id: deviceId,
      firmware: device.firmware,
      settings: this.#settings.current(),
      parameters: length,
      estimated_seconds: Math.ceil((length * this.#runs.perParameterMs(deviceId, rows)) / 1000),
      progress: this.#runs.of(deviceId)?.progress() ?? null,
      snapshots: rows.map(viewOf),
    }
  }

  /** Begins a snapshot. Throws `unknown_device`, and `conflict` while another is read or the service does not run. */
  async take(deviceId: string, { origin, name, note, by }: SnapshotCreate & { by: string }): Promise<Snapshot> {
    this.#runs.required(deviceId)
    if (name !== '') await this.#refuseNames(deviceId)
    return viewOf(await this.#runs.begin(deviceId, { origin, name: name || null, note: note || null, taken_by: by }))
  }

  /** Goes on with an interrupted snapshot. Throws `conflict` when it is complete or too old. */
  async resume(deviceId: string, id: number): Promise<Snapshot> {
    return viewOf(await this.#runs.resume(await this.#required(deviceId, id)))
  }

  /** Ends the reading that is under way; what was read is kept. */
  async cancel(deviceId: string): Promise<SnapshotList> {
    this.#runs.required(deviceId)
    await this.#runs.cancel(deviceId)
    return this.list(deviceId)
  }

  /** Throws `not_found`. */
  async read(deviceId: string, id: number): Promise<SnapshotContent> {
    const { payload, ...row } = await this.#required(deviceId, id)
    const { valuesOf } = await import('./differences.ts')
    return { ...viewOf(row), values: valuesOf(this.#dependencies.catalog, unpackPayload(payload)) }
  }

  /** Returns the parameters of a snapshot as comma-separated values. */
  async csv(deviceId: string, id: number): Promise<string> {
    const { snapshotCsv } = await import('./snapshot-file.ts')
    return snapshotCsv((await this.read(deviceId, id)).values)
  }

  /** Changes name and note; an empty text takes them away. */
  async rename(deviceId: string, id: number, { name, note }: SnapshotChange): Promise<Snapshot> {
    const before = await this.#required(deviceId, id)
    if (before.origin === 'current') throw new Problem('conflict', 'What was read for a comparison is not kept')
    if (name !== undefined && name !== '' && before.name === null) await this.#refuseNames(deviceId)
    const after = {
      name: name === undefined ? before.name : name || null,
      note: note === undefined ? before.note : note || null,
    }
    await store.updateSnapshot(this.#db, id, after)
    await this.#runs.trim(deviceId)
    this.#dependencies.changed()
    return viewOf({ ...before, ...after })
  }

  async remove(deviceId: string, id: number): Promise<void> {
    await this.#required(deviceId, id)
    if (this.#runs.of(deviceId)?.id === id) await this.#runs.cancel(deviceId)
    await store.deleteSnapshots(this.#db, [id])
    this.#dependencies.changed()
  }

  /** Compares two snapshots. Throws `not_found`, and `conflict` for one that is not complete. */
  async compare(deviceId: string, { from, to }: DifferencesQuery): Promise<SnapshotDifferences> {
    this.#runs.required(deviceId)
    const rows = await store.snapshotRows(this.#db, deviceId)
    const second = to === 'newest' ? rows.find(isComplete)?.id : to
    if (second === undefined) throw new Problem('not_found', 'There is no complete snapshot of this inverter yet')
    const later = await this.#required(deviceId, second)
    const first = from === 'previous_firmware' ? beforeFirmware(rows, later.firmware)?.id : from
    if (first === undefined) throw new Problem('not_found', 'There is no snapshot from before a change of firmware')
    const earlier = await this.#required(deviceId, first)
    const { compareSnapshots } = await import('./compare-snapshots.ts')
    return compareSnapshots({ db: this.#db, catalog: this.#dependencies.catalog }, earlier, later)
  }

  /** The inverter reports another firmware: a snapshot is due when that is switched on. */
  firmwareChanged(deviceId: string): void {
    this.#runs.firmwareChanged(deviceId)
  }

  /** Another inverter or another firmware answers: what is being read begins again, so that it mixes no two. */
  identityChanged(deviceId: string, identity: Identity): void {
    this.#runs.identityChanged(deviceId, identity)
  }

  /** Deletes the snapshots of a device that was removed; one whose address changed keeps those that are complete. */
  async forget(deviceId: string): Promise<void> {
    if (this.#dependencies.devices().some(({ id }) => id === deviceId)) return this.#runs.moved(deviceId)
    await this.#runs.cancel(deviceId)
    await store.deleteDeviceSnapshots(this.#db, deviceId)
  }

  get #db() {
    return this.#dependencies.database.query
  }

  async #refuseNames(deviceId: string): Promise<void> {
    const named = (await store.snapshotRows(this.#db, deviceId)).filter(({ name }) => name !== null)
    if (named.length >= maxNamed)
      throw new Problem('conflict', `There are ${maxNamed} snapshots with a name already; delete one first`)
  }

  async #required(deviceId: string, id: number): Promise<PackedSnapshot> {
    this.#runs.required(deviceId)
    const row = await store.snapshotRow(this.#db, deviceId, id)
    if (row === undefined) throw new Problem('not_found', `There is no snapshot ${id} of ${deviceId}`)
    return row
  }
}
