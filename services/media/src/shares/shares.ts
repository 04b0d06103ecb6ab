import { hashPassword, type Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { throwConversionProblem } from '../delivery/derived-file.ts'
import type { Renditions } from '../delivery/renditions.ts'
import { jobTimestamp } from '../jobs/job-view.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { conflict, invalid, notFound } from '../problems.ts'
import type { Settings } from '../settings/schema.ts'
import type { ShareLinkRow, Tables } from '../tables.ts'
import { plainText } from '../tags/plain-text.ts'
import { deleteOldFetches, listFetches, useLength } from './fetch-store.ts'
import { hasUsesLeft, isCurrent, stateOf } from './link-state.ts'
import type { Share, ShareChange, ShareCreate, ShareFetch, ShareLink, ShareListQuery } from './schema.ts'
import { hasFile, isStored, provideFile } from './share-files.ts'
import type { ShareTokens } from './share-tokens.ts'
import * as store from './store.ts'

export interface ShareDependencies {
  readonly database: Database<Tables>
  readonly sealer: Sealer
  readonly tokens: ShareTokens
  readonly jobs: Pick<Jobs, 'row'>
  readonly artifacts: ArtifactStore
  readonly renditions: Pick<Renditions, 'provide'>
  readonly settings: () => Settings
  readonly clock: Clock
}

const day = 86_400_000
/** Time for which a link that ended or was used up is kept, so that its fetches can be seen and its end be moved. */
const endedKeptFor = 30 * day
/** Time for which fetches are kept. */
const fetchesKeptFor = 90 * day
/** Links that there may be. */
const maxLinks = 10_000
/** Latest end of a link, from now on. */
const maxLife = 3650 * day

/** Share links, as their owner makes, lists and changes them. Throws problems of the API. */
export class Shares {
  readonly #dependencies: ShareDependencies

  constructor(dependencies: ShareDependencies) {
    this.#dependencies = dependencies
  }

  /** A new link to the file of a job by the settings, or the present one when it is as good. */
  async createForJob(jobId: string, base: string): Promise<ShareLink> {
    const { jobs, database } = this.#dependencies
    const file = await provideFile(this.#dependencies, await jobs.row(jobId)).catch(throwConversionProblem)
    if (file === undefined) throw notFound('file')
    // The file may have been long in the making.
    const job = await jobs.row(jobId)
    const row = await database.query.transaction().execute(async (trx) => {
      await store.lockLinks(database, trx)
      const present = (await store.linksOf(trx, job.id)).find((link) => this.#isAsGoodAsNew(link))
      const link = present ?? this.#newLink(job.id, { is_reusable: 1 })
      if (present !== undefined) return link
      if (!(await store.allHaveFiles(trx, [job.id]))) throw notFound('file')
      await this.#insert(trx, link)
      return link
    })
    return this.#linkView(row, base)
  }

  /** The links with the file of a job that give it, or gave their last use within the hour. */
  async listOf(jobId: string, base: string): Promise<ShareLink[]> {
    const now = this.#dependencies.clock.now()
    const isGood = (link: ShareLinkRow) =>
      isCurrent(link, now) && (hasUsesLeft(link) || (link.last_fetched_at ?? 0) > now - useLength)
    return (await store.linksOf(this.#db, jobId)).filter(isGood).map((row) => this.#linkView(row, base))
  }

  /** Deletes every link with the file of a job. */
  async revokeOf(jobId: string): Promise<number> {
    return store.deleteLinksOf(this.#db, jobId)
  }

  /** Creates a link to the files of one or several jobs. */
  async create({ job_ids, ...wanted }: ShareCreate, base: string): Promise<Share> {
    const { jobs, artifacts, database } = this.#dependencies
    const [first = '', ...others] = new Set(job_ids)
    for (const id of [first, ...others])
      if (!(await isStored(artifacts, await jobs.row(id)))) throw conflict(`job_ids: ${id} has no finished file`)
    const link = this.#newLink(first, { is_reusable: 0, ...(await this.#valuesOf(wanted)) })
    await database.query.transaction().execute(async (trx) => {
      await store.lockLinks(database, trx)
      // They may have gone to make room since they were found.
      if (!(await store.allHaveFiles(trx, [first, ...others]))) throw conflict('job_ids: a file is not there any more')
      await this.#insert(trx, link, others)
    })
    return this.#read(link.token_hash, base)
  }

  async list({ job_id: jobId, limit, offset }: ShareListQuery, base: string): Promise<Share[]> {
    return (await store.listLinks(this.#db, { jobId, limit, offset })).map((found) => this.#view(found, base))
  }

  /** Changes a link; one that has ended works again when its end is moved. */
  async change(id: string, changes: ShareChange, base: string): Promise<Share> {
    await this.#read(id, base)
    const { database } = this.#dependencies
    const values = await this.#valuesOf(changes)
    // One that works again keeps its files from going to make room.
    await database.query.transaction().execute(async (trx) => {
      await store.lockLinks(database, trx)
      await store.updateLink(trx, id, values)
    })
    return this.#read(id, base)
  }

  async revoke(id: string): Promise<void> {
    if (!(await store.deleteLink(this.#db, id))) throw notFound('share')
  }

  /** The files that were fetched by a link, newest first. */
  async listFetches(id: string): Promise<ShareFetch[]> {
    const found = await store.readLink(this.#db, id)
    if (found === undefined) throw notFound('share')
    const fetches = await listFetches(this.#db, found.link.token_hash)
    return fetches.map(({ id: fetchId, fetched_at, network, job_id, video_title }) => ({
      id: fetchId,
      fetched_at: jobTimestamp(fetched_at),
      network,
      job_id,
      title: video_title,
    }))
  }

  /** Returns the number of links. */
  count(): Promise<number> {
    return store.countLinks(this.#db)
  }

  /** Deletes old uses and links whose files are gone; with a settled clock, too, links that ended long ago and old fetches. */
  async tidy(isSettled: boolean): Promise<void> {
    const { clock, database } = this.#dependencies
    const now = clock.now()
    const since = (age: number) => (isSettled ? now - age : 0)
    await deleteOldFetches(this.#db, { now, keptSince: since(fetchesKeptFor) })
    await database.query.transaction().execute(async (trx) => {
      // An eviction locks the links before it deletes those of jobs that go.
      await store.lockLinks(database, trx)
      await store.deleteSpent(trx, since(endedKeptFor))
    })
  }

  async #insert(trx: Kysely<Tables>, link: ShareLinkRow, further: readonly string[] = []): Promise<void> {
    if ((await store.countLinks(trx)) >= maxLinks)
      throw conflict(`There are ${maxLinks} share links; revoke some first`)
    // It may have gone to make room since it was looked up.
    if (!(await store.allHaveFiles(trx, [link.job_id, ...further])))
      throw conflict('job_ids: a file was deleted a moment ago')
    await store.insertLink(trx, link, further)
  }

  #newLink(job_id: string, values: store.LinkValues & Pick<ShareLinkRow, 'is_reusable'>): ShareLinkRow {
    const { sealer, clock, settings, tokens } = this.#dependencies
    const { share_link_max_uses, share_link_expire_days } = settings()
    const token = tokens.create()
    const token_hash = tokens.hash(token)
    const created_at = clock.now()
    return {
      token_hash,
      token_sealed: sealer.seal(token, placeOf(token_hash)),
      job_id,
      name: null,
      password_hash: null,
      max_uses: share_link_max_uses,
      uses: 0,
      created_at,
      expires_at: share_link_expire_days === 0 ? null : created_at + share_link_expire_days * day,
      last_fetched_at: null,
      ...values,
    }
  }

  /** Returns what is stored for the members that are there. */
  async #valuesOf({ name, password, max_uses, expires_at }: ShareChange): Promise<store.LinkValues> {
    return {
      ...(name !== undefined && { name: plainText(name, 120) }),
      ...(password !== undefined && { password_hash: password === null ? null : await hashPassword(password) }),
      ...(max_uses !== undefined && { max_uses }),
      ...(expires_at !== undefined && { expires_at: this.#endOf(expires_at) }),
    }
  }

  #endOf(text: string | null): number | null {
    if (text === null) return null
    const [end, now] = [Date.parse(text), this.#dependencies.clock.now()]
    if (end <= now) throw invalid('expires_at lies in the past')
    if (end > now + maxLife) throw invalid('expires_at lies more than ten years ahead')
    return end
  }

  /** It has uses left and was created under the current settings. */
  #isAsGoodAsNew(link: ShareLinkRow): boolean {
    const { share_link_max_uses, share_link_expire_days } = this.#dependencies.settings()
    const isOfToday =
      link.is_reusable === 1 &&
      link.max_uses === share_link_max_uses &&
      (link.expires_at === null) === (share_link_expire_days === 0)
    return isOfToday && isCurrent(link, this.#dependencies.clock.now()) && hasUsesLeft(link)
  }

  #linkView(link: ShareLinkRow, base: string): ShareLink {
    const { max_uses, uses } = link
    return { ok: true, url: this.#urlOf(link, base), max_uses, uses, expires_at: timestampOrNull(link.expires_at) }
  }

  async #read(id: string, base: string): Promise<Share> {
    const found = await store.readLink(this.#db, id)
    if (found === undefined) throw notFound('share')
    return this.#view(found, base)
  }

  #view({ link, files }: store.LinkWithFiles<store.ListedJob>, base: string): Share {
    const { token_hash: id, name, max_uses, uses } = link
    return {
      id,
      url: this.#urlOf(link, base),
      name,
      state: stateOf(link, this.#dependencies.clock.now()),
      has_password: link.password_hash !== null,
      max_uses,
      uses,
      created_at: jobTimestamp(link.created_at),
      expires_at: timestampOrNull(link.expires_at),
      last_fetched_at: timestampOrNull(link.last_fetched_at),
      files: files.map(({ job }) => ({
        job_id: job.id,
        title: job.video_title,
        type: job.type,
        is_available: hasFile(job),
      })),
    }
  }

  #urlOf({ token_hash, token_sealed }: ShareLinkRow, base: string): string {
    return `${base}/share/${this.#dependencies.sealer.open(token_sealed, placeOf(token_hash))}`
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

const placeOf = (tokenHash: string): string => `share_links.token_sealed:${tokenHash}`

const timestampOrNull = (time: number | null): string | null => (time === null ? null : jobTimestamp(time))
