import { randomUUID } from 'node:crypto'
import { acquireLock, type Database } from '@hearth/database'
import type { Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { isJobId, type ArtifactStore } from '../artifacts/artifact-store.ts'
import type { MediaBus } from '../events.ts'
import { fileTitle } from '../jobs/file-names.ts'
import { findFinished } from '../jobs/finished-file.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { lockJobs } from '../jobs/lock-store.ts'
import { findJob } from '../jobs/store.ts'
import { conflict, invalid, notFound, tooMany, unavailable } from '../problems.ts'
import type { JobRow, Tables } from '../tables.ts'
import type { ExportRow } from './tables.ts'
import type { ExportArchive } from './export-archive.ts'
import { discardFiles } from './export-files.ts'
import { estimateExport, leastSource, type ExportRoom } from './export-room.ts'
import { exportEvent, exportOf, resultOf } from './export-view.ts'
import { endOf, maxSeconds, totalSeconds } from './part-ranges.ts'
import type { Export, ExportPlan, ExportRequest } from './schema.ts'
import * as store from './store.ts'

export interface ExportDependencies {
  readonly database: Database<Tables>
  readonly bus: MediaBus
  readonly artifacts: ArtifactStore
  readonly timers: Timers
  readonly jobs: Pick<Jobs, 'row'>
  readonly exportWorker: { wake(): void }
  /** Resolves to true while the disk has room for more files. */
  readonly hasSpace: () => Promise<boolean>
  readonly room: Pick<ExportRoom, 'checkExport'>
}

/** Number of the lock under which exports are added, on PostgreSQL. */
const exportLock = 8_103_017
/** Maximum number of exports that wait, of all jobs and of one, so that none keeps the others waiting. */
const [maxWaiting, maxWaitingOfJob] = [100, 10]
/** Maximum number of exports that are kept of one job; the oldest that ended are deleted. */
const maxKept = 20
/** Time after which a request that met one of these numbers may be sent again, seconds. */
const retryAfter = 10

/** Files that are made of parts of finished sounds. They throw problems of the API. */
export class Exports {
  readonly #dependencies: ExportDependencies

  constructor(dependencies: ExportDependencies) {
    this.#dependencies = dependencies
  }

  /** Requests files; the workers of all processes make them. A request that was sent before gives what came of it. */
  async request(jobId: string, { id = randomUUID(), ...plan }: ExportRequest): Promise<Export> {
    const { database, jobs, exportWorker, bus, hasSpace, room } = this.#dependencies
    const job = findFinished(await jobs.row(jobId))
    checkPlan(job, plan)
    const earlier = await store.findExport(database.query, id)
    if (earlier !== undefined) return ofJob(earlier, job.id)
    if (!(await hasSpace())) throw unavailable('There is not enough space left on the disk')
    await room.checkExport(estimateExport(plan, { ...leastSource, quality: job.quality }))
    const row = this.#newRow(id, job, plan)
    const { same, surplus } = await database.query.transaction().execute((trx) => this.#add(trx, row))
    if (same !== undefined) return ofJob(same, job.id)
    bus.publish(exportEvent(row))
    exportWorker.wake()
    for (const old of surplus) {
      bus.publish(exportEvent({ ...old, status: 'cancelled' }))
      // What fails here is done by the upkeep; the new one is accepted.
      await this.#settleUnlessHeld(old).catch(() => undefined)
    }
    return exportOf(row)
  }

  async list(jobId: string): Promise<Export[]> {
    const { database, jobs } = this.#dependencies
    const { id } = await jobs.row(jobId)
    return (await store.listExports(database.query, id)).map(exportOf)
  }

  /** Ends an export that waits or runs. */
  async cancel(jobId: string, id: string): Promise<Export> {
    const { database, bus, timers } = this.#dependencies
    await this.#find(jobId, id)
    const row = await store.cancelExport(database.query, id, timers.now())
    if (row === undefined) throw conflict('The export has ended already')
    bus.publish(exportEvent(row))
    await this.#settleUnlessHeld(row)
    return exportOf(row)
  }

  /** Deletes an export with its files. */
  async remove(jobId: string, id: string): Promise<{ ok: true }> {
    await this.#remove(await this.#find(jobId, id))
    return { ok: true }
  }

  /** The stored file of an export and the name it is saved under. */
  async find(jobId: string, id: string, number: number): Promise<{ name: string; fileName: string }> {
    const row = await this.#find(jobId, id)
    const file = row.status === 'done' ? resultOf(row).files[number - 1] : undefined
    if (file === undefined) throw notFound('file')
    return { name: file.artifact, fileName: file.name }
  }

  /** All files of an export that is done. */
  async findAll(jobId: string, id: string): Promise<ExportArchive> {
    const row = await this.#find(jobId, id)
    const { files } = resultOf(row)
    if (row.status !== 'done' || files.length === 0) throw notFound('file')
    const { video_title: title } = await this.#dependencies.jobs.row(jobId)
    return { jobId, fileName: `${fileTitle(title, 100)} - parts.zip`, files }
  }

  /** Deletes the files of exports that ended without success and whose worker is gone. */
  async tidy(): Promise<void> {
    const { database, timers } = this.#dependencies
    for (const row of await store.findUnsettled(database.query, timers.now())) await this.#settle(row)
  }

  #newRow(id: string, job: JobRow, plan: ExportPlan): ExportRow {
    return {
      id,
      job_id: job.id,
      status: 'queued',
      attempt: 0,
      interruptions: 0,
      lease_until: null,
      request: JSON.stringify(plan),
      progress: 0,
      message: null,
      files: null,
      has_files: 0,
      reserved_bytes: 0,
      created_at: this.#dependencies.timers.now(),
      finished_at: null,
    }
  }

  /**
   * Adds a request and hides the oldest exports of its job beyond those that are kept. Adds nothing and returns the present row
   * when the request was sent twice at once.
   */
  async #add(trx: Kysely<Tables>, row: ExportRow): Promise<{ same?: ExportRow; surplus: ExportRow[] }> {
    await acquireLock(this.#dependencies.database.kind, trx, exportLock)
    // From here on its file does not go to make room.
    await lockJobs(trx, [row.job_id])
    const same = await store.findExport(trx, row.id)
    if (same !== undefined) return { same, surplus: [] }
    if ((await findJob(trx, row.job_id))?.artifact == null) throw notFound('file')
    const { all, ofJob: own } = await store.countWaiting(trx, row.job_id)
    if (own >= maxWaitingOfJob)
      throw tooMany(
        `${maxWaitingOfJob} exports of this job are waiting, which is the most; try again when one is done`,
        retryAfter,
      )
    if (all >= maxWaiting)
      throw unavailable(`${maxWaiting} exports are waiting; try again when some are done`, retryAfter)
    const ended = (await store.listExports(trx, row.job_id)).filter(({ status }) => !isWaiting(status))
    await store.insertExport(trx, row)
    const surplus = ended.slice(Math.max(0, maxKept - own - 1))
    for (const { id } of surplus) await store.hideExport(trx, id)
    return { surplus }
  }

  async #find(jobId: string, id: string): Promise<ExportRow> {
    const row = isJobId(id) ? await store.findExport(this.#dependencies.database.query, id) : undefined
    if (row === undefined || row.job_id !== jobId || row.status === 'removed') throw notFound('export')
    return row
  }

  async #remove(row: ExportRow): Promise<void> {
    const { database, bus } = this.#dependencies
    await store.hideExport(database.query, row.id)
    // A worker that has it stops, and deletes what it stored since.
    bus.publish(exportEvent({ ...row, status: 'cancelled' }))
    await this.#settleUnlessHeld(row)
  }

  /** While a worker has it, that one deletes the files when it has stopped; if it is lost, the upkeep does. */
  async #settleUnlessHeld(row: ExportRow): Promise<void> {
    if ((row.lease_until ?? 0) > this.#dependencies.timers.now()) return
    await this.#settle(row)
  }

  async #settle(row: ExportRow): Promise<void> {
    const { artifacts, database } = this.#dependencies
    await discardFiles(artifacts, row)
    await store.settleExport(database.query, row.id)
  }
}

/** An export that was requested before under the same id; another job's is refused. */
function ofJob(row: ExportRow, jobId: string): Export {
  if (row.job_id !== jobId || row.status === 'removed') throw conflict('The id of this export was used before')
  return exportOf(row)
}

const isWaiting = (status: ExportRow['status']): boolean => status === 'queued' || status === 'running'

/** Room for what containers claim beyond what is to hear, and for rounding, seconds. */
const tolerance = 0.05

function checkPlan({ duration_ms }: JobRow, { parts, format }: ExportPlan): void {
  for (const [index, part] of parts.entries()) {
    const name = `parts.${index}`
    const end = endOf(part)
    if (duration_ms !== null && end > duration_ms / 1000 + tolerance)
      throw invalid(
        `${name} ends at ${end.toFixed(3)} seconds, behind the end of the sound, which has ${(duration_ms / 1000).toFixed(3)} seconds`,
      )
    if (part.loop !== null && format !== 'wav' && format !== 'flac')
      throw invalid(`${name} is a loop, which keeps its exact length only as wav or flac, and format is ${format}`)
  }
  const total = totalSeconds(parts)
  if (total > maxSeconds)
    throw invalid(`parts have ${Math.round(total)} seconds together; at most ${maxSeconds} are exported at once`)
}
