import { rm, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { ArtifactRow } from './tables.ts'
import type { Tables } from '../tables.ts'
import {
  ArtifactMissing,
  assertArtifactName,
  assertJobId,
  type ArtifactFacts,
  type ArtifactRange,
  type ArtifactStore,
} from './artifact-store.ts'
import * as store from './ledger-store.ts'

export interface LedgerDependencies {
  readonly database: Database<Tables>
  readonly storage: ArtifactStore
  readonly clock: Clock
}

/** Places that are forgotten together once their files are deleted. */
const clearedAtOnce = 100

/**
 * Artifacts with a record of them in the database: sizes and totals are known without a look at the storage, and several jobs
 * can have the same file. A row stands before its file is stored and a place is noted before its file is deleted, so that
 * upkeep finds whatever a crash left half done. A file without a row, of an earlier version, belongs to the job of its folder.
 */
export class ArtifactLedger implements ArtifactStore {
  readonly #dependencies: LedgerDependencies

  constructor(dependencies: LedgerDependencies) {
    this.#dependencies = dependencies
  }

  /** The storage without the record. */
  get storage(): ArtifactStore {
    return this.#dependencies.storage
  }

  put(jobId: string, name: string, file: string): Promise<void> {
    return this.#put(jobId, name, { file, hash: null })
  }

  /** Resolves to true if a file with this content is stored, so that `putOnce` takes no room. */
  async hasContent(name: string, { bytes, hash }: { bytes: number; hash: string }): Promise<boolean> {
    return (await store.findContent(this.#db, { name, bytes, content_hash: hash })) !== undefined
  }

  /** As `put`; a file with the same content, of whatever job, is stored once. */
  async putOnce(jobId: string, name: string, { file, hash }: { file: string; hash: string }): Promise<void> {
    assertArtifactName(jobId, name)
    const { size: bytes } = await stat(file)
    const same = await store.findContent(this.#db, { name, bytes, content_hash: hash })
    const isShared = same !== undefined && (await this.share(same.job_id, jobId, [name]))
    if (isShared) await rm(file, { force: true })
    else await this.#put(jobId, name, { file, hash })
  }

  /** Gives a job the files with these names of another one. False, and nothing, unless the first of them is there. */
  async share(from: string, to: string, names: readonly string[]): Promise<boolean> {
    const [first] = await this.#stored(this.#db, from, names.slice(0, 1))
    if (first === undefined || from === to) return false
    // What the record says of a damaged storage must not be handed on.
    if ((await this.storage.stat(first.folder_id, first.name))?.size !== first.bytes) return false
    return this.#change(async (trx) => {
      const rows = await this.#stored(trx, from, names)
      return rows[0]?.folder_id === first.folder_id && rows[0].name === first.name && this.#refer(trx, to, rows)
    })
  }

  /** Rows of a job's stored files, in the order of the names. */
  async #stored(db: Kysely<Tables>, jobId: string, names: readonly string[]): Promise<ArtifactRow[]> {
    const rows = await store.rowsAround(db, jobId)
    return names.flatMap(
      (name) => rows.find((row) => row.job_id === jobId && row.name === name && row.is_stored === 1) ?? [],
    )
  }

  /** False when the job has a file of such a name already, which only `put` replaces. */
  async #refer(trx: Kysely<Tables>, jobId: string, rows: readonly ArtifactRow[]): Promise<boolean> {
    const present = (await store.rowsAround(trx, jobId)).filter((row) => row.job_id === jobId)
    // After a crash it may have them already.
    const isOther = (row: ArtifactRow) =>
      present.some(({ name, folder_id }) => name === row.name && folder_id !== row.folder_id)
    if (rows.some(isOther)) return false
    for (const row of rows)
      await store.addReference(trx, { ...row, job_id: jobId, put_at: this.#dependencies.clock.now() })
    return true
  }

  async #put(jobId: string, name: string, { file, hash }: { file: string; hash: string | null }): Promise<void> {
    assertArtifactName(jobId, name)
    const { storage, clock } = this.#dependencies
    const { size: bytes } = await stat(file)
    const wanted = { job_id: jobId, name, bytes, content_hash: hash, put_at: clock.now() }
    const arrival = await this.#change((trx) => store.beginArrival(trx, wanted))
    try {
      await storage.put(arrival.row.folder_id, name, file)
    } catch (error) {
      await this.#change((trx) => store.undoArrival(trx, arrival))
        .then((places) => this.clear(places))
        .catch(() => undefined)
      throw error
    }
    const places = await this.#change((trx) => store.endArrival(trx, arrival))
    await this.clear(places ?? [arrival.row])
    if (places === undefined) throw new ArtifactMissing(jobId, name)
  }

  /** The record says when a file was put: the storage forgets it when it is copied. */
  async stat(jobId: string, name: string): Promise<ArtifactFacts | undefined> {
    const place = await this.#placeOf(jobId, name)
    const facts = place && (await this.storage.stat(place.folder, name))
    return facts && { ...facts, modifiedAt: place?.putAt ?? facts.modifiedAt }
  }

  async open(jobId: string, name: string, range?: ArtifactRange): Promise<Readable | undefined> {
    const folder = await this.#folderOf(jobId, name)
    return folder === undefined ? undefined : this.storage.open(folder, name, range)
  }

  async withLocalFile<T>(jobId: string, name: string, work: (path: string) => Promise<T>): Promise<T> {
    const folder = await this.#folderOf(jobId, name)
    if (folder === undefined) throw new ArtifactMissing(jobId, name)
    return this.storage.withLocalFile(folder, name, work)
  }

  async #folderOf(jobId: string, name: string): Promise<string | undefined> {
    return (await this.#placeOf(jobId, name))?.folder
  }

  /** Folder of a job's file, and when it was put, if it has a row; undefined when the file there is not the job's, or not any more. */
  async #placeOf(jobId: string, name: string): Promise<{ folder: string; putAt?: number } | undefined> {
    assertArtifactName(jobId, name)
    const rows = await store.rowsAround(this.#db, jobId, name)
    const own = rows.find((row) => row.job_id === jobId)
    if (own !== undefined) return { folder: own.folder_id, putAt: own.put_at }
    if (rows.length > 0) return undefined
    const departing = await store.departingIn(this.#db, jobId)
    return departing.includes(name) || departing.includes(store.wholeFolder) ? undefined : { folder: jobId }
  }

  async list(jobId: string): Promise<string[]> {
    assertJobId(jobId)
    const rows = await store.rowsAround(this.#db, jobId)
    const departing = await store.departingIn(this.#db, jobId)
    const own = rows.filter((row) => row.job_id === jobId && row.is_stored === 1).map(({ name }) => name)
    const known = new Set([...rows.map(({ name }) => name), ...departing])
    const unknown = departing.includes(store.wholeFolder) ? [] : await this.storage.list(jobId)
    return [...own, ...unknown.filter((name) => !known.has(name))].toSorted()
  }

  async removeOne(jobId: string, name: string): Promise<boolean> {
    assertArtifactName(jobId, name)
    const folder = await this.#folderOf(jobId, name)
    if (folder === undefined) return false
    const rows = (await store.rowsAround(this.#db, jobId, name)).filter((row) => row.job_id === jobId)
    if (rows.length === 0) return this.storage.removeOne(folder, name)
    const places = await this.#change((trx) => store.dropRows(trx, rows, this.#dependencies.clock.now()))
    await this.clear(places)
    return true
  }

  async removeJob(jobId: string): Promise<void> {
    assertJobId(jobId)
    await this.clear(await this.#change((trx) => this.dropJob(trx, jobId)))
  }

  /** Takes all files from a job in a transaction of `changeLedger`. What is returned is for `clear` after it. */
  async dropJob(trx: Kysely<Tables>, jobId: string): Promise<store.Place[]> {
    const now = this.#dependencies.clock.now()
    const rows = (await store.rowsAround(trx, jobId)).filter((row) => row.job_id === jobId)
    const places = await store.dropRows(trx, rows, now)
    // What has no row goes with it, unless others have files in the folder.
    return [...places, ...(await store.dropFolder(trx, jobId, now))]
  }

  /** Deletes files that no job has any more. After a crash upkeep does it. What failed is tried again then. */
  async clear(places: readonly store.Place[]): Promise<void> {
    let failure: unknown
    for (let at = 0; at < places.length; at += clearedAtOnce) {
      const cleared: store.Place[] = []
      for (const place of places.slice(at, at + clearedAtOnce))
        await this.#clearOne(place).then(
          (wasNoted) => wasNoted && cleared.push(place),
          (error: unknown) => {
            failure ??= error
          },
        )
      // Until then nothing new is stored there.
      await store.deleteDeparting(this.#db, cleared)
    }
    if (failure !== undefined) throw failure
  }

  /** Deletes what is at a place, unless another process did so since the place was read and a job stores there again. False when it did. */
  async #clearOne(place: store.Place): Promise<boolean> {
    const { folder_id, name } = place
    const noted = await store.findDeparting(this.#db, place)
    if (noted?.isUsed === false) {
      if (name === store.wholeFolder) await this.storage.removeJob(folder_id)
      else await this.storage.removeOne(folder_id, name)
    }
    return noted !== undefined
  }

  jobs(): ReturnType<ArtifactStore['jobs']> {
    return this.storage.jobs()
  }

  close(): Promise<void> {
    return this.storage.close()
  }

  #change<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    return store.changeLedger(this.#dependencies.database, work)
  }

  get #db() {
    return this.#dependencies.database.query
  }
}
