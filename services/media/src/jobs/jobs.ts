import { randomUUID } from 'node:crypto'
import { takeTurn, type Database } from '@hearth/database'
import type { Timers } from '@hearth/runtime'
import type { JobRow, Tables } from '../database/tables.ts'
import type { MediaBus } from '../events/schema.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import { conflict, duplicateJob, invalid, notFound, unavailable } from '../problems.ts'
import type { Queue } from '../queue/queue.ts'
import { isTerminal, statusesBefore } from './job-machine.ts'
import { jobEvent } from './job-events.ts'
import { jobOfRow } from './job-view.ts'
import type { Job, Submission } from './schema.ts'
import * as store from './store.ts'

/** Dependencies of `Jobs`. */
export interface JobParts {
  readonly database: Database<Tables>
  readonly queue: Queue
  readonly bus: MediaBus
  readonly timers: Timers
  /** Most jobs that may wait. */
  readonly queueSize: number
  /** Reads an address, short links followed; throws a problem that says what is wrong with it. */
  readonly readUrl: (text: string) => Promise<MediaUrl>
  /** Asks the platform, 8 seconds at most; undefined when it does not answer in time. Keeps what it said for the download. */
  readonly probe: (media: MediaUrl, jobId: string) => Promise<store.JobValues | undefined>
  /** Throws a problem when the disk is as good as full. */
  readonly checkSpace: () => Promise<void>
}

/** Number of the turn in which submissions count the line on PostgreSQL. */
const lineTurn = 8_103_001

/** Values of a job that begins anew. */
const cleared: store.JobValues = {
  message: '',
  error_code: null,
  finished_at: null,
  filesize_bytes: null,
  duration_ms: null,
  codec: null,
  bitrate_kbps: null,
  bpm: null,
  bpm_confidence: null,
  bpm_alternative: null,
  audio_hash: null,
  artifact: null,
  stem_ms: 0,
  interruptions: 0,
  lease_until: null,
}

/** Jobs as callers use them. Throws problems in the words of the API. */
export class Jobs {
  readonly #parts: JobParts

  constructor(parts: JobParts) {
    this.#parts = parts
  }

  async submit({ url, type, quality, confirm_duplicate }: Submission): Promise<Job> {
    const media = await this.#parts.readUrl(url)
    const wanted = { media_key: media.key, type, quality }
    if (confirm_duplicate !== true) await this.#refuseDuplicate(wanted)
    await this.#parts.checkSpace()
    if ((await store.countQueued(this.#db)) >= this.#parts.queueSize) throw queueFull()
    const id = randomUUID()
    const facts = (await this.#parts.probe(media, id)) ?? {}
    const row = this.#newRow({ id, media, type, quality, facts })
    await this.#db.transaction().execute(async (trx) => {
      await takeTurn(this.#parts.database.kind, trx, lineTurn)
      if ((await store.countQueued(trx)) >= this.#parts.queueSize) throw queueFull()
      // While the platform was asked somebody may have asked for the same.
      if (confirm_duplicate !== true) await this.#refuseDuplicate(wanted, trx)
      await store.insertJob(trx, row)
      await this.#parts.queue.enqueue(trx, { id, attempt: row.attempt })
    })
    this.#parts.queue.wake()
    this.#parts.bus.publish({ type: 'job_added', job_id: id })
    return jobOfRow(row)
  }

  async list(page: { offset: number; limit: number }): Promise<Job[]> {
    return (await store.listJobs(this.#db, page)).map(jobOfRow)
  }

  async find(id: string): Promise<Job> {
    return jobOfRow(await this.row(id))
  }

  /** Resolves to true if a job of that id is there. */
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
    const finished_at = this.#parts.timers.now()
    const values = { message: 'Cancelled', finished_at, lease_until: null, artifact: null }
    const row = await store.advanceJob(this.#db, { id, step: 'cancelled', values })
    if (row === undefined) throw conflict('The job changed in the same moment; look at it again')
    this.#tell(before, row)
    return jobOfRow(row)
  }

  async retry(id: string): Promise<Job> {
    const before = await this.row(id)
    if (!statusesBefore('retried').includes(before.status))
      throw invalid(`Only a job that failed or was cancelled can be tried again, and this one is ${before.status}`)
    const attempt = before.attempt + 1
    const row = await this.#db.transaction().execute(async (trx) => {
      await takeTurn(this.#parts.database.kind, trx, lineTurn)
      if ((await store.countQueued(trx)) >= this.#parts.queueSize) throw queueFull()
      const values = { ...cleared, attempt, queued_at: this.#parts.timers.now() }
      const queued = await store.advanceJob(trx, { id, attempt: before.attempt, step: 'retried', values })
      if (queued !== undefined) await this.#parts.queue.enqueue(trx, { id, attempt })
      return queued
    })
    if (row === undefined) throw conflict('The job changed in the same moment; look at it again')
    this.#tell(before, row)
    this.#parts.queue.wake()
    return jobOfRow(row)
  }

  /** Takes a person's word for the tempo: it is certain from then on. */
  async setTempo(id: string, bpm: number): Promise<Job> {
    const before = await this.row(id)
    if (before.type !== 'audio') throw invalid('The job is a video and has no tempo')
    const row = await store.setTempo(this.#db, id, bpm)
    if (row === undefined) throw invalid(`Only a finished job has a tempo, and this one is ${before.status}`)
    this.#tell(before, row)
    return jobOfRow(row)
  }

  #newRow(input: {
    id: string
    media: MediaUrl
    type: JobRow['type']
    quality: JobRow['quality']
    facts: store.JobValues
  }): JobRow {
    const now = this.#parts.timers.now()
    const { id, media, type, quality, facts } = input
    return {
      id,
      url: media.url,
      platform: media.platform,
      media_key: media.key,
      type,
      quality,
      status: 'queued',
      attempt: 1,
      created_at: now,
      queued_at: now,
      video_title: null,
      video_meta_hover: null,
      ...cleared,
      message: null,
      ...facts,
    } as JobRow
  }

  async #refuseDuplicate(wanted: Pick<JobRow, 'media_key' | 'type' | 'quality'>, db = this.#db): Promise<void> {
    const existing = await store.findDuplicate(db, wanted)
    if (existing !== undefined) throw duplicateJob(jobOfRow(existing))
  }

  #tell(before: JobRow, after: JobRow): void {
    this.#parts.bus.publish(jobEvent(before, after, this.#parts.timers.now()))
  }

  get #db() {
    return this.#parts.database.query
  }
}

const queueFull = () => unavailable('The job queue is full; try again when some jobs are done')
