import type { Database } from '@hearth/database'
import type { Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { kindOfArtifact } from '../artifacts/artifact-kind.ts'
import type { StoredJob } from '../artifacts/artifact-store.ts'
import type { ArtifactLedger } from '../artifacts/ledger.ts'
import { changeLedger, dropRows, listDeparting, longestArrival } from '../artifacts/ledger-store.ts'
import { isActive } from '../jobs/job-machine.ts'
import type { ArtifactRow } from '../artifacts/tables.ts'
import type { Tables } from '../tables.ts'
import * as store from './store.ts'

export interface SweepDependencies {
  readonly database: Database<Tables>
  readonly artifacts: ArtifactLedger
  readonly timers: Timers
}

/** What a sweep looks at. */
export interface SweepOptions {
  /** What is younger may be on its way and stays as it is, milliseconds; 0 while no process works. */
  readonly age: number
  /** Gives files of an earlier version their rows, which takes a while for many. */
  readonly isAdopting?: boolean
}

/** Folders that are compared with their rows at a time. */
const atOnce = 200

/**
 * Compares the record of the stored files with the storage, and mends what a crash left between the two: deletions that were
 * begun, files without a job, rows without a file. Files of an earlier version get their rows.
 */
export async function sweepArtifacts(dependencies: SweepDependencies, options: SweepOptions): Promise<void> {
  const { age } = options
  const { artifacts, timers } = dependencies
  const sweep = new ArtifactSweep(dependencies, options)
  // Without another process nothing is on its way.
  const failure = await clearDeparting(dependencies, age === 0 ? Number.MAX_SAFE_INTEGER : timers.now() - age)
  const seen = new Set<string>()
  let batch: StoredJob[] = []
  for await (const folder of artifacts.jobs()) {
    seen.add(folder.jobId)
    batch.push(folder)
    if (batch.length < atOnce) continue
    await sweep.compare(batch)
    batch = []
  }
  await sweep.compare(batch)
  await sweep.checkMissing(seen)
  await sweep.change((trx) => store.recountTotals(trx))
  if (failure !== undefined) throw failure
}

/** Ends the deletions that were begun before a time. Returns why some could not be; they are tried again. */
async function clearDeparting({ artifacts, database }: SweepDependencies, before: number): Promise<unknown> {
  for (;;) {
    const places = await listDeparting(database.query, before)
    if (places.length === 0) return undefined
    const failure: unknown = await artifacts.clear(places).then(
      () => undefined,
      (error: unknown) => error ?? 'unknown',
    )
    if (failure !== undefined) return failure
  }
}

class ArtifactSweep {
  readonly #dependencies: SweepDependencies
  readonly #isAdopting: boolean
  /** What was put later is left alone. */
  readonly #before: number
  /** The same for files on their way. */
  readonly #begunBefore: number

  constructor(dependencies: SweepDependencies, { age, isAdopting = true }: SweepOptions) {
    this.#isAdopting = isAdopting
    const now = dependencies.timers.now()
    this.#dependencies = dependencies
    this.#before = now - age
    this.#begunBefore = age === 0 ? now : now - longestArrival
  }

  async compare(folders: readonly StoredJob[]): Promise<void> {
    const ids = folders.map(({ jobId }) => jobId)
    const rows = await store.filesIn(this.#db, ids)
    const departing = await store.departingFolders(this.#db, ids)
    const owners = await store.fileOwners(this.#db, [...new Set([...ids, ...rows.map(({ job_id }) => job_id)])])
    await this.#removeOrphans(rows.filter(({ job_id }) => !isKept(owners.get(job_id))))
    const own = Map.groupBy(rows, ({ folder_id }) => folder_id)
    for (const folder of folders) {
      if (departing.has(folder.jobId) || folder.modifiedAt > this.#before) continue
      const known = own.get(folder.jobId) ?? []
      await this.#compareFolder(folder, known, owners.get(folder.jobId))
    }
  }

  async #compareFolder(
    { jobId, files }: StoredJob,
    rows: readonly ArtifactRow[],
    owner: store.FileOwner | undefined,
  ): Promise<void> {
    const { artifacts } = this.#dependencies
    for (const row of rows.filter((one) => this.#isSettled(one))) {
      const file = files.find(({ name }) => name === row.name)
      if (file === undefined) await this.#settleMissing(row)
      else if (row.is_stored === 0 || row.bytes !== file.size) await store.correctFile(this.#db, row, file.size)
    }
    const names = new Set(rows.map(({ name }) => name))
    const unknown = files.filter(({ name }) => !names.has(name))
    if (unknown.length === 0) return
    // It may have been made since the list was read.
    const isWanted = isKept(owner) || isKept((await store.fileOwners(this.#db, [jobId])).get(jobId))
    if (isWanted && !this.#isAdopting) return
    if (isWanted) for (const { name } of unknown) await this.#adopt(jobId, name, owner)
    else if (rows.length === 0) await artifacts.removeJob(jobId)
    else for (const { name } of unknown) await artifacts.removeOne(jobId, name)
  }

  /** Gives a file of an earlier version its row. What a crash left beside a newer one goes. */
  async #adopt(jobId: string, name: string, owner: store.FileOwner | undefined): Promise<void> {
    const { storage } = this.#dependencies.artifacts
    const facts = await storage.stat(jobId, name)
    if (facts === undefined) return
    const content_hash = owner?.artifact === name ? owner.audio_hash : null
    const row = { job_id: jobId, name, folder_id: jobId, kind: kindOfArtifact(name), bytes: facts.size, content_hash }
    const adopted = { ...row, is_stored: 1, put_at: facts.modifiedAt }
    const isAdopted = await this.change((trx) => store.adoptFile(trx, adopted))
    if (!isAdopted && !(await store.isTaken(this.#db, { folder_id: jobId, name }))) await storage.removeOne(jobId, name)
  }

  /** Takes the files from jobs that are gone, or have none any more. */
  async #removeOrphans(rows: readonly ArtifactRow[]): Promise<void> {
    const young = new Set(rows.filter((row) => !this.#isSettled(row)).map(({ job_id }) => job_id))
    const ids = [...new Set(rows.map(({ job_id }) => job_id))].filter((id) => !young.has(id))
    const owners = await store.fileOwners(this.#db, ids)
    for (const id of ids) if (!isKept(owners.get(id))) await this.#dependencies.artifacts.removeJob(id)
  }

  /** Looks at the rows of folders that the storage does not have. */
  async checkMissing(seen: ReadonlySet<string>): Promise<void> {
    for await (const folders of store.recordedFolders(this.#db)) {
      const rows = await store.filesIn(
        this.#db,
        folders.filter((folder) => !seen.has(folder)),
      )
      for (const row of rows) if (this.#isSettled(row)) await this.#settleMissing(row)
    }
  }

  async #settleMissing(row: ArtifactRow): Promise<void> {
    const { artifacts, timers } = this.#dependencies
    // The list is older than the row when another process was at work.
    if ((await artifacts.storage.stat(row.folder_id, row.name)) !== undefined) return
    // A file may come back, as after a restore, and others may have it: until then it takes no space.
    if (row.is_stored === 1 && isKept((await store.fileOwners(this.#db, [row.job_id])).get(row.job_id)))
      return store.correctFile(this.#db, row, 0)
    await artifacts.clear(await this.change((trx) => dropRows(trx, [row], timers.now())))
  }

  /** Returns true if no process is at work on a file. */
  #isSettled({ is_stored, put_at }: ArtifactRow): boolean {
    return put_at <= (is_stored === 1 ? this.#before : this.#begunBefore)
  }

  change<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    return changeLedger(this.#dependencies.database, work)
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

/** Returns true if a job may have files. */
const isKept = (owner: store.FileOwner | undefined): boolean =>
  owner !== undefined && (isActive(owner.status) || owner.artifact !== null)
