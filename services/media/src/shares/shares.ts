import type { Sealer } from '@hearth/credentials'
import { acquireLock, type Database } from '@hearth/database'
import type { Content } from '@hearth/http'
import type { Clock, Log } from '@hearth/runtime'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { JobRow, ShareLinkRow, Tables } from '../tables.ts'
import { throwConversionProblem } from '../delivery/derived-file.ts'
import { deliver, mediaTypeOf, type DeliveryCall } from '../delivery/deliver.ts'
import { downloadName } from '../jobs/file-names.ts'
import type { Renditions } from '../delivery/renditions.ts'
import { isDownloadable } from '../jobs/job-machine.ts'
import { jobTimestamp } from '../jobs/job-view.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { notFound, Problem, tooMany } from '../problems.ts'
import type { Settings } from '../settings/schema.ts'
import type { ShareLink } from './schema.ts'
import { createSharePages } from './share-page.ts'
import type { ShareTokens } from './share-tokens.ts'
import * as store from './store.ts'
import { createWrongLinks } from './wrong-links.ts'

/** A request to redeem a link. */
export interface Redemption extends DeliveryCall {
  readonly token: string
  readonly address: string
  /** Requests the file itself, not the landing page that a person, or a link preview, gets. */
  readonly wantsFile: boolean
  readonly isHead: boolean
}

export interface ShareDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly tokens: ShareTokens
  readonly jobs: Pick<Jobs, 'row'>
  readonly artifacts: ArtifactStore
  readonly renditions: Pick<Renditions, 'provide'>
  readonly settings: () => Settings
  readonly clock: Clock
  readonly log: Log
}

const day = 86_400_000
/** Number of the lock under which links are made on PostgreSQL. */
const linkLock = 8_103_002

/** Looked up when there is no link, so that the answer takes as long. */
const nobody = { id: '00000000-0000-4000-8000-000000000000', file: 'source.mp3' } as const

/** A file that can be handed out. */
interface SharedFile {
  readonly name: string
  readonly size: number
}

/** A link that this client may use. */
interface Found {
  readonly job: JobRow
  readonly link: ShareLinkRow
  readonly file: SharedFile
  /** Has fetched by it within the hour. */
  readonly isUsing: boolean
}

/** Share links to one file. Throws problems of the API. */
export class Shares {
  readonly #dependencies: ShareDependencies
  readonly #pages = createSharePages()
  readonly #wrong: ReturnType<typeof createWrongLinks>

  constructor(dependencies: ShareDependencies) {
    this.#dependencies = dependencies
    this.#wrong = createWrongLinks(dependencies.clock)
  }

  /** A new link, or the present one when it is as good. */
  async create(jobId: string, base: string): Promise<ShareLink> {
    const file = await this.#fileOf(await this.#dependencies.jobs.row(jobId)).catch(throwConversionProblem)
    if (file === undefined) throw notFound('file')
    // The file may have been long in the making.
    const job = await this.#dependencies.jobs.row(jobId)
    const { kind, query } = this.#dependencies.database
    const row = await query.transaction().execute(async (trx) => {
      await acquireLock(kind, trx, linkLock)
      const present = (await store.linksOf(trx, job.id)).find((link) => this.#isAsGoodAsNew(link))
      const link = present ?? this.#newLink(job.id)
      if (present === undefined) await store.insertLink(trx, link)
      return link
    })
    return this.#view(row, base)
  }

  async list(jobId: string, base: string): Promise<ShareLink[]> {
    return (await store.linksOf(this.#db, jobId)).map((row) => this.#view(row, base))
  }

  async revoke(jobId: string): Promise<number> {
    return store.deleteLinksOf(this.#db, jobId)
  }

  /** The landing page, or the file; every failure is the same page with status 404. */
  async redeem(redemption: Redemption): Promise<Content> {
    const seconds = this.#wrong.waitSeconds(redemption.address)
    if (seconds !== undefined) throw tooMany(`Too many wrong links; try again in ${seconds} s`, seconds)
    const content = await this.#tryToRedeem(redemption).catch((error: unknown) => {
      if (error instanceof Problem && error.status === 416) throw error
      this.#dependencies.log.warn({ err: error }, 'a shared file could not be handed out')
      return undefined
    })
    if (content !== undefined) return content
    this.#wrong.count(redemption.address)
    return this.#page(redemption, this.#pages.nothing, 404)
  }

  /** Returns the number of links. */
  count(): Promise<number> {
    return store.countLinks(this.#db)
  }

  /** Deletes expired links and uses. */
  async tidy(): Promise<void> {
    await store.deleteSpent(this.#db, this.#dependencies.clock.now())
  }

  async #tryToRedeem(redemption: Redemption): Promise<Content | undefined> {
    const found = await this.#find(redemption)
    if (found === undefined) return undefined
    if (redemption.wantsFile) return this.#handOut(redemption, found)
    const { job, file, link } = found
    const offer = {
      title: job.video_title ?? 'A file for you',
      fileName: downloadName(job) ?? 'media',
      type: job.type,
      sizeBytes: file.size,
      durationMs: job.duration_ms,
      expiresAt: link.expires_at,
      isPlayable: ['audio/mpeg', 'video/mp4', 'video/webm'].includes(mediaTypeOf(file.name)),
    }
    return this.#page(redemption, this.#pages.offer(offer), 200)
  }

  async #find({ token, address }: Redemption): Promise<Found | undefined> {
    const now = this.#dependencies.clock.now()
    const found = await store.findLink(this.#db, this.#hashes(token, address))
    if (found === undefined) {
      await this.#dependencies.artifacts.stat(nobody.id, nobody.file)
      return undefined
    }
    const { link, job, usedAt } = found
    const file = await this.#fileOf(job)
    const isUsing = usedAt !== null && usedAt > now - store.useLength
    const isGood = isCurrent(link, now) && (isUsing || hasUsesLeft(link))
    return isGood && file !== undefined ? { job, link, file, isUsing } : undefined
  }

  /**
   * A use is counted once an hour for a client, when the answer begins with the first byte; no client gets a later part without
   * one, because the whole but a byte is as good as the whole.
   */
  async #handOut(redemption: Redemption, { job, file, isUsing }: Found): Promise<Content | undefined> {
    const { artifacts, clock } = this.#dependencies
    const { token, address, isHead } = redemption
    if (!isUsing && !isHead) {
      const use = { ...this.#hashes(token, address), now: clock.now() }
      if (!(await store.takeUse(this.#db, use))) return undefined
    }
    const headers = new Map<string, string>()
    const call: DeliveryCall = {
      isHead,
      header: (name) => (isRefused(name, redemption.header(name), isUsing) ? undefined : redemption.header(name)),
      // A failure on the way must not leave any of them on the page that is answered instead.
      answer: { header: (name, value) => void headers.set(name, value) },
    }
    const fileName = downloadName(job) ?? 'media'
    const content = await deliver(call, { artifacts, jobId: job.id, name: file.name, fileName })
    for (const [name, value] of headers) redemption.answer.header(name, value)
    return content
  }

  async #fileOf(job: JobRow): Promise<SharedFile | undefined> {
    const { artifacts, renditions } = this.#dependencies
    if (!isDownloadable(job.status) || job.artifact === null) return undefined
    const source = await artifacts.stat(job.id, job.artifact)
    if (source === undefined) return undefined
    const name = job.type === 'audio' ? await renditions.provide(job, 'mp3') : job.artifact
    const facts = name === job.artifact ? source : await artifacts.stat(job.id, name)
    return facts === undefined ? undefined : { name, size: facts.size }
  }

  #page({ answer }: Redemption, content: string, status: number): Content {
    answer.header('content-type', 'text/html; charset=utf-8')
    answer.header('content-security-policy', this.#pages.policy)
    answer.header('cache-control', 'no-store')
    return { content, status }
  }

  #newLink(jobId: string): ShareLinkRow {
    const { sealer, clock, settings, tokens } = this.#dependencies
    const { share_link_max_uses, share_link_expire_days } = settings()
    const token = tokens.create()
    const token_hash = tokens.hash(token)
    const created_at = clock.now()
    return {
      token_hash,
      token_sealed: sealer.seal(token, placeOf(token_hash)),
      job_id: jobId,
      max_uses: share_link_max_uses,
      uses: 0,
      created_at,
      expires_at: share_link_expire_days === 0 ? null : created_at + share_link_expire_days * day,
    }
  }

  /** It has uses left and was created under the current settings. */
  #isAsGoodAsNew(link: ShareLinkRow): boolean {
    const { share_link_max_uses, share_link_expire_days } = this.#dependencies.settings()
    const isOfToday =
      link.max_uses === share_link_max_uses && (link.expires_at === null) === (share_link_expire_days === 0)
    return isOfToday && isCurrent(link, this.#dependencies.clock.now()) && hasUsesLeft(link)
  }

  #view({ token_hash, token_sealed, max_uses, uses, expires_at }: ShareLinkRow, base: string): ShareLink {
    const token = this.#dependencies.sealer.open(token_sealed, placeOf(token_hash))
    const end = expires_at === null ? null : jobTimestamp(expires_at)
    return { ok: true, url: `${base}/share/${token}`, max_uses, uses, expires_at: end }
  }

  #hashes(token: string, address: string): { tokenHash: string; clientHash: string } {
    const { tokens } = this.#dependencies
    return { tokenHash: tokens.hash(token), clientHash: tokens.clientHash(token, address) }
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

const placeOf = (tokenHash: string): string => `share_links.token_sealed:${tokenHash}`

const isCurrent = ({ expires_at }: ShareLinkRow, now: number): boolean => expires_at === null || expires_at > now

const hasUsesLeft = ({ max_uses, uses }: ShareLinkRow): boolean => max_uses === 0 || uses < max_uses

/**
 * Returns true for a header that is ignored: a client that has no use of the link yet gets the file from its beginning.
 */
const isRefused = (name: string, value: string | undefined, isUsing: boolean): boolean =>
  name === 'if-none-match' || (name === 'range' && !isUsing && value?.startsWith('bytes=0-') !== true)
