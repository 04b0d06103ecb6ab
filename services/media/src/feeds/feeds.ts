import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { hashToken, type Sealer } from '@hearth/credentials'
import { acquireLock, type Database } from '@hearth/database'
import type { Content } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { deliver, type DeliveryCall } from '../delivery/deliver.ts'
import { throwConversionProblem } from '../delivery/derived-file.ts'
import type { Renditions } from '../delivery/renditions.ts'
import { downloadName } from '../jobs/file-names.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import { jobTimestamp } from '../jobs/job-view.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { NoteUse } from '../jobs/use-tracker.ts'
import { conflict, notFound } from '../problems.ts'
import type { FeedRow, JobRow, Tables } from '../tables.ts'
import { feedDocument } from './feed-document.ts'
import type { Feed } from './schema.ts'
import * as store from './store.ts'

/** A request for a feed or for a file of it. */
export interface FeedCall extends DeliveryCall {
  readonly token: string
}

export interface FeedDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly jobs: Pick<Jobs, 'row'>
  readonly artifacts: ArtifactStore
  readonly renditions: Renditions
  readonly noteUse: NoteUse
  readonly clock: Clock
}

const maxFeeds = 50
/** Sounds in a feed: apps keep what they have seen. */
const maxSounds = 200
/** Number of the lock under which feeds are made on PostgreSQL. */
const feedLock = 8_103_003

/** Feeds of the finished sounds, each behind a token of its own in its address. Throws problems of the API. */
export class Feeds {
  readonly #dependencies: FeedDependencies

  constructor(dependencies: FeedDependencies) {
    this.#dependencies = dependencies
  }

  async list(base: string): Promise<Feed[]> {
    return (await store.listFeeds(this.#db)).map((row) => this.#view(row, base))
  }

  /** Creates a feed. `base` is the beginning of its address, such as `https://media.example.org`. */
  async create(name: string, base: string): Promise<Feed> {
    const { database, sealer, clock } = this.#dependencies
    const id = randomUUID()
    const token = randomBytes(24).toString('base64url')
    const row: FeedRow = {
      id,
      name,
      token_hash: hashToken(token),
      token_sealed: sealer.seal(token, placeOf(id)),
      created_at: clock.now(),
    }
    await database.query.transaction().execute(async (trx) => {
      await acquireLock(database.kind, trx, feedLock)
      if ((await store.listFeeds(trx)).length >= maxFeeds)
        throw conflict(`There are ${maxFeeds} feeds; delete one first`)
      await store.insertFeed(trx, row)
    })
    return this.#view(row, base)
  }

  /** Deletes a feed and returns its name; its address gives nothing any more. */
  async delete(id: string): Promise<string> {
    const deleted = await store.deleteFeed(this.#db, id)
    if (deleted === undefined) throw notFound('feed')
    return deleted.name
  }

  /** The feed as RSS. */
  async read(call: FeedCall, base: string): Promise<Content> {
    const feed = await this.#find(call.token)
    const document = feedDocument({
      title: feed.name,
      url: this.#view(feed, base).url,
      home: base,
      items: (await store.listSounds(this.#db, maxSounds)).map(itemOf),
    })
    const etag = `"${createHash('sha256').update(document).digest('base64url')}"`
    call.answer.header('content-type', 'application/rss+xml; charset=utf-8')
    call.answer.header('content-security-policy', "default-src 'none'; sandbox")
    call.answer.header('cache-control', 'private, no-cache')
    call.answer.header('etag', etag)
    return call.header('if-none-match') === etag ? { content: '', status: 304 } : { content: document }
  }

  /** A sound of the feed as MP3, or its picture. */
  async readFile(call: FeedCall, { jobId, kind }: { jobId: string; kind: 'mp3' | 'jpg' }): Promise<Content> {
    await this.#find(call.token)
    const { jobs, artifacts, renditions } = this.#dependencies
    const job = await jobs.row(jobId)
    if (job.type !== 'audio' || !isDownloadable(job.status) || job.artifact === null) throw notFound('file')
    if (kind === 'jpg') return deliver(call, { artifacts, jobId: job.id, name: 'thumbnail.jpg' })
    const fileName = downloadName(job) ?? 'media'
    this.#dependencies.noteUse(job)
    const name = await renditions.provide(job, 'mp3').catch(throwConversionProblem)
    return deliver(call, { artifacts, jobId: job.id, name, fileName })
  }

  async #find(token: string): Promise<FeedRow> {
    const feed = await store.findFeed(this.#db, hashToken(token))
    if (feed === undefined) throw notFound('feed')
    return feed
  }

  #view({ id, name, token_sealed, created_at }: FeedRow, base: string): Feed {
    const token = this.#dependencies.sealer.open(token_sealed, placeOf(id))
    return { id, name, url: `${base}/feed/${token}`, created_at: jobTimestamp(created_at) }
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

const placeOf = (id: string): string => `feeds.token_sealed:${id}`

const itemOf = (job: JobRow) => ({
  id: job.id,
  title: job.video_title ?? job.url,
  source: job.url,
  publishedAt: job.finished_at ?? job.created_at,
  durationMs: job.duration_ms,
  sizeBytes: job.filesize_bytes ?? 0,
})
