import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { acquireLock, type Database } from '@hearth/database'
import type { Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { JobRow, Tables } from '../tables.ts'
import type { MediaBus } from '../events.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import type { MediaInfo } from '../tools/media-info.ts'
import { conflict, duplicateJob, invalid, notFound, unavailable } from '../problems.ts'
import type { Queue } from '../queue/queue.ts'
import type { MediaType } from '../platforms/schema.ts'
import { downloadName } from './file-names.ts'
import { isTerminal, statusesBefore } from './job-machine.ts'
import { jobEvent } from './job-events.ts'
import { factsValues, jobOfRow } from './job-view.ts'
import { cleared, newRow, type Requested } from './new-job.ts'
import type { Job, NamePreview, NameTrial, PinChange, Submission } from './schema.ts'
import * as store from './store.ts'
import type { WorkFolders } from './work-folders.ts'

export interface JobDependencies {
  readonly database: Database<Tables>
  readonly queue: Queue
  readonly bus: MediaBus
  readonly timers: Timers
  /** Maximum number of queued jobs. */
  readonly queueSize: number
  /** Reads an address, short links followed; throws a problem that says what is wrong with it. */
  readonly readUrl: (text: string) => Promise<MediaUrl>
  /** Queries the platform; undefined without an answer in time. Keeps the answer in the file for the download. */
  readonly lookup: { findSoon(media: MediaUrl, infoFile: string): Promise<MediaInfo | undefined> }
  readonly folders: Pick<WorkFolders, 'infoFile'>
  /** Template of the file names of new jobs. */
  readonly nameTemplate: (type: MediaType) => string
  /** Throws a problem when the disk is nearly full. */
  readonly checkSpace: () => Promise<void>
  /** Throws a problem when there can be no room for media of which that is known. */
  readonly checkRoom: (facts: MediaInfo, wanted: Pick<JobRow, 'type' | 'quality'>) => Promise<void>
}

/** A job that is about to enter the queue. */
interface Entry extends Pick<JobRow, 'id' | 'media_key' | 'type' | 'quality'> {
  readonly media: MediaUrl
  /** A person accepted that there is one like it. */
  readonly isConfirmed: boolean
}

/** Number of the lock under which jobs enter the queue on PostgreSQL. */
export const queueLock = 8_103_001

/** Jobs: submit, list, cancel, retry. Throws problems of the API. */
export class Jobs {
  readonly #dependencies: JobDependencies

  constructor(dependencies: JobDependencies) {
    this.#dependencies = dependencies
  }

  async submit({ url, type, quality, confirm_duplicate }: Submission): Promise<Job> {
    const media = await this.#dependencies.readUrl(url)
    const wanted = { media_key: media.key, type, quality }
    if (confirm_duplicate !== true) await this.#refuseDuplicate(wanted)
    await this.#dependencies.checkSpace()
    await this.#checkQueue(this.#db)
    const id = randomUUID()
    const infoFile = this.#dependencies.folders.infoFile(id)
    const info = await this.#dependencies.lookup.findSoon(media, infoFile)
    try {
      return await this.#enter({ id, media, isConfirmed: confirm_duplicate === true, ...wanted }, info)
    } catch (error) {
      await rm(infoFile, { force: true })
      throw error
    }
  }

  /** Puts a new job into the queue, with what the platform says of its media. */
  async #enter(entry: Entry, info: MediaInfo | undefined): Promise<Job> {
    const { id, media, isConfirmed, ...wanted } = entry
    const { database, queue, bus, timers, checkRoom, nameTemplate } = this.#dependencies
    if (info !== undefined) await checkRoom(info, wanted)
    const facts = info === undefined ? {} : factsValues(info)
    const { url, platform } = media
    const row = newRow(
      { id, url, platform, name_template: nameTemplate(wanted.type), ...wanted, ...facts },
      timers.now(),
    )
    await this.#db.transaction().execute(async (trx) => {
      await acquireLock(database.kind, trx, queueLock)
      await this.#checkQueue(trx)
      // Another caller may have submitted the same while the platform was queried.
      if (!isConfirmed) await this.#refuseDuplicate(wanted, trx)
      await store.insertJob(trx, row)
      await queue.enqueue(trx, { id, attempt: row.attempt })
    })
    queue.wake()
    bus.publish({ type: 'job_added', job_id: id })
    return jobOfRow(row)
  }

  async list(page: store.ListPage): Promise<Job[]> {
    return (await store.listJobs(this.#db, page)).map(jobOfRow)
  }

  async find(id: string): Promise<Job> {
    return jobOfRow(await this.row(id))
  }

  /** Resolves to true if a job of that id exists. */
  async has(id: string): Promise<boolean> {
    return (await store.findJob(this.#db, id)) !== undefined
  }

  /** As `find`, with what the API does not show. */
  async row(id: string): Promise<JobRow> {
    const row = await store.findJob(this.#db, id)
    if (row === undefined) throw notFound('job')
    return row
  }

  async cancel(id: string): Promise<Job> {
    const before = await this.row(id)
    if (isTerminal(before.status)) throw invalid(`The job is over (${before.status}) and cannot be cancelled`)
    const finished_at = this.#dependencies.timers.now()
    const values = { message: 'Cancelled', finished_at, lease_until: null, artifact: null }
    const row = await store.advanceJob(this.#db, { id, step: 'cancelled', values })
    if (row === undefined) throw conflict('The job changed at the same time; read it again')
    this.#publish(before, row)
    return jobOfRow(row)
  }

  async retry(id: string): Promise<Job> {
    const before = await this.row(id)
    if (!statusesBefore('retried').includes(before.status))
      throw invalid(`Only a job that failed or was cancelled can be tried again, and this one is ${before.status}`)
    const attempt = before.attempt + 1
    const row = await this.#db.transaction().execute(async (trx) => {
      await acquireLock(this.#dependencies.database.kind, trx, queueLock)
      await this.#checkQueue(trx)
      const values = { ...cleared, attempt, queued_at: this.#dependencies.timers.now() }
      const queued = await store.advanceJob(trx, { id, attempt: before.attempt, step: 'retried', values })
      if (queued !== undefined) await this.#dependencies.queue.enqueue(trx, { id, attempt })
      return queued
    })
    if (row === undefined) throw conflict('The job changed at the same time; read it again')
    this.#publish(before, row)
    this.#dependencies.queue.wake()
    return jobOfRow(row)
  }

  /** Returns the names that a template would give to the newest finished downloads of a type, or to an example. */
  async previewNames({ type, template }: NameTrial): Promise<NamePreview> {
    const rows = await store.newestFinished(this.#db, type, previewCount)
    const example = { ...newRow(exampleRequest(type), 0), ...exampleFacts }
    const names = (rows.length === 0 ? [example] : rows).flatMap(
      (row) => downloadName({ ...row, artifact: row.artifact ?? 'source.mp4', name_template: template }) ?? [],
    )
    return { names }
  }

  /** Stores a tempo that a person set; its confidence is 1. */
  async setTempo(id: string, bpm: number): Promise<Job> {
    const before = await this.row(id)
    if (before.type !== 'audio') throw invalid('The job is a video and has no tempo')
    const row = await store.setTempo(this.#db, id, bpm)
    if (row === undefined) throw invalid(`Only a finished job has a tempo, and this one is ${before.status}`)
    this.#publish(before, row)
    return jobOfRow(row)
  }

  /** Pins jobs, whose files then never go to make room, or unpins them; ids of no job are left out. */
  async pin({ job_ids: ids, pinned }: PinChange): Promise<Job[]> {
    const before = await store.findJobs(this.#db, ids)
    const jobs: Job[] = []
    for (const job of before) {
      const row = await store.setPinned(this.#db, job.id, pinned)
      if (row !== undefined) this.#publish(job, row)
      jobs.push(jobOfRow(row ?? job))
    }
    return jobs
  }

  /** Throws a problem when the queue is full. */
  async #checkQueue(trx: Kysely<Tables>): Promise<void> {
    if ((await store.countQueued(trx)) >= this.#dependencies.queueSize)
      throw unavailable('The job queue is full; try again when some jobs are done')
  }

  async #refuseDuplicate(wanted: Pick<JobRow, 'media_key' | 'type' | 'quality'>, db = this.#db): Promise<void> {
    const existing = await store.findDuplicate(db, wanted)
    if (existing !== undefined) throw duplicateJob(jobOfRow(existing))
  }

  #publish(before: JobRow, after: JobRow): void {
    this.#dependencies.bus.publish(jobEvent(before, after, this.#dependencies.timers.now()))
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

/** Number of names in a preview. */
const previewCount = 3

const exampleRequest = (type: MediaType): Requested => ({
  id: '0a1b2c3d-0000-4000-8000-000000000000',
  url: '',
  platform: 'youtube',
  media_key: '',
  type,
  quality: 'max',
})
const exampleFacts = {
  video_title: 'Night drive',
  artist: 'Third Floor',
  album: 'City lights',
  channel: 'Third Floor',
  published_on: '2024-05-17',
  bpm: 124,
  musical_key: 14,
}
