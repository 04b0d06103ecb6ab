import { Readable } from 'node:stream'
import type { Database } from '@hearth/database'
import type { Content } from '@hearth/http'
import type { Clock, Log } from '@hearth/runtime'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { deliver, mediaTypeOf, type DeliveryCall } from '../delivery/deliver.ts'
import type { Renditions } from '../delivery/renditions.ts'
import { downloadName, fileTitle } from '../jobs/file-names.ts'
import type { NoteUse } from '../jobs/use-tracker.ts'
import { Problem, tooMany } from '../problems.ts'
import type { JobRow, Tables } from '../tables.ts'
import type { Waveform } from '../waveform/schema.ts'
import { clientNetwork } from './client-network.ts'
import { findUse, hasFetched, takeUse, useLength } from './fetch-store.ts'
import { hasUsesLeft, isCurrent } from './link-state.ts'
import { shareArchive } from './share-archive.ts'
import { isStored, provideFile } from './share-files.ts'
import { createSharePages, type OfferedFile } from './share-page.ts'
import type { SharePasswords } from './share-password.ts'
import type { ShareTokens } from './share-tokens.ts'
import { findLink, type LinkedFile, type LinkWithFiles } from './store.ts'
import { coarsePeaks } from './wave-peaks.ts'
import { createWrongLinks } from './wrong-links.ts'

/** A request of somebody who has a link. */
export interface Visit extends DeliveryCall {
  readonly token: string
  readonly address: string
  /** Value of the cookie of a visitor who knew the password. */
  readonly cookie: string | undefined
  /** Beginning of addresses for previews, such as `https://media.example.org`. */
  readonly base: string
  readonly isHead: boolean
}

export interface VisitDependencies {
  readonly database: Database<Tables>
  readonly tokens: ShareTokens
  readonly passwords: SharePasswords
  readonly artifacts: ArtifactStore
  readonly renditions: Pick<Renditions, 'provide'>
  readonly waveformOf: (jobId: string) => Promise<Waveform>
  readonly noteUse: NoteUse
  readonly clock: Clock
  readonly log: Log
}

/** Looked up when there is no link, so that the answer takes as long. */
const nobody = { id: '00000000-0000-4000-8000-000000000000', file: 'source.mp3' } as const

/** A link that this client may use. */
interface Found extends LinkWithFiles {
  /** Has fetched by it within the hour. */
  readonly isUsing: boolean
}

/** Result of a password: the page to show, or the cookie of somebody who knew it. */
export type Unlocking = { readonly page: Content } | { readonly cookie: string | undefined }

/** Answers those who have a link: pages, files, pictures and waves. Whatever is wrong, they get the same page. */
export class ShareVisits {
  readonly #dependencies: VisitDependencies
  readonly #pages = createSharePages()
  readonly #wrong: ReturnType<typeof createWrongLinks>

  constructor(dependencies: VisitDependencies) {
    this.#dependencies = dependencies
    this.#wrong = createWrongLinks(dependencies.clock)
  }

  /** The page of a link; with `wantsFile` its file, or an archive of several. */
  open(visit: Visit, wantsFile: boolean): Promise<Content> {
    return this.#answer(visit, async (found) => {
      const [first, ...others] = found.files
      if (first === undefined) return undefined
      if (!wantsFile) return this.#showPage(visit, found)
      return others.length === 0 ? this.#handOut(visit, found, first) : this.#handOutAll(visit, found)
    })
  }

  /** What stands behind the token: `3` is the third file, `3.jpg` its picture, `3.json` its wave, and `all.zip` an archive. */
  openFile(visit: Visit, name: string): Promise<Content> {
    if (name === 'all.zip') return this.#answer(visit, async (found) => this.#handOutAll(visit, found))
    const [, position = '', kind] = /^(\d{1,9})(?:\.(jpg|json))?$/.exec(name) ?? []
    const open = async (found: Found) => {
      const [file] = found.files
      if (file === undefined) return undefined
      if (kind === 'jpg') return this.#showPicture(visit, file)
      if (kind === 'json') return this.#showWave(visit, file)
      return this.#handOut(visit, found, file)
    }
    return this.#answer(visit, open, Number(position))
  }

  /** Takes the password of a link. */
  async unlock(visit: Visit, password: string): Promise<Unlocking> {
    this.#checkWrong(visit)
    const found = await this.#find(visit).catch((error: unknown) => this.#logFailure(error))
    if (found === undefined) {
      this.#wrong.count(visit.address)
      return { page: this.#page(visit, this.#pages.nothing, 404) }
    }
    const { passwords } = this.#dependencies
    if (found.link.password_hash === null) return { cookie: undefined }
    const attempt = await passwords.attempt(found.link, password, visit.address)
    if (attempt.kind === 'right') return { cookie: passwords.unlock(found.link) }
    if (attempt.kind === 'wrong') return { page: this.#page(visit, this.#pages.password(visit.token, 'wrong'), 403) }
    visit.answer.header('retry-after', String(attempt.seconds))
    return { page: this.#page(visit, this.#pages.password(visit.token, attempt.seconds), 429) }
  }

  /** With a position only the file there is looked up; no file has the position 0. */
  async #answer(
    visit: Visit,
    work: (found: Found) => Promise<Content | undefined>,
    position?: number,
  ): Promise<Content> {
    this.#checkWrong(visit)
    try {
      const found = await this.#find(visit, position)
      if (found !== undefined && !this.#dependencies.passwords.isUnlocked(found.link, visit.cookie))
        return this.#page(visit, this.#pages.password(visit.token), 403)
      if (found === undefined) this.#wrong.count(visit.address)
      const content = found === undefined ? undefined : await work(found)
      if (content !== undefined) return content
    } catch (error) {
      if (error instanceof Problem && error.status === 416) throw error
      this.#logFailure(error)
    }
    return this.#page(visit, this.#pages.nothing, 404)
  }

  #logFailure(error: unknown): undefined {
    this.#dependencies.log.warn({ err: error }, 'a shared file could not be handed out')
  }

  #checkWrong({ address }: Visit): void {
    const seconds = this.#wrong.waitSeconds(address)
    if (seconds !== undefined) throw tooMany(`Too many wrong links; try again in ${seconds} s`, seconds)
  }

  async #find({ token, address }: Visit, position?: number): Promise<Found | undefined> {
    const { tokens, artifacts, clock } = this.#dependencies
    const [tokenHash, now] = [tokens.hash(token), clock.now()]
    const found = await findLink(this.#db, tokenHash, position)
    const usedAt = await findUse(this.#db, { tokenHash, clientHash: tokens.clientHash(token, address) })
    if (found === undefined) {
      await artifacts.stat(nobody.id, nobody.file)
      return undefined
    }
    const isUsing = usedAt !== null && usedAt > now - useLength
    const isGood = isCurrent(found.link, now) && (isUsing || hasUsesLeft(found.link))
    // A link without that file is asked for its password like any other.
    const hasFiles = found.files.length > 0 || position !== undefined
    return isGood && hasFiles ? { ...found, isUsing } : undefined
  }

  async #showPage(visit: Visit, { link, files }: Found): Promise<Content | undefined> {
    const offered: OfferedFile[] = []
    for (let index = 0; index < files.length; index += lookUps) {
      const some = files.slice(index, index + lookUps)
      const described = await Promise.all(some.map((file) => this.#describe(file, files.length === 1)))
      offered.push(...described.filter((file) => file !== undefined))
    }
    if (offered.length === 0) return undefined
    const { token, base } = visit
    const isPrivate = link.password_hash !== null
    const page = this.#pages.offer({
      name: link.name,
      token,
      files: offered,
      expiresAt: link.expires_at,
      previewBase: isPrivate ? undefined : base,
    })
    return this.#page(visit, page, 200)
  }

  /** Describes a file for the page. The size of a sound is known when its MP3 is made, which a page of many does not wait for. */
  async #describe({ position, job }: LinkedFile, isAlone: boolean): Promise<OfferedFile | undefined> {
    const { artifacts } = this.#dependencies
    const file = isAlone ? await provideFile(this.#dependencies, job) : undefined
    if (isAlone ? file === undefined : !(await isStored(artifacts, job))) return undefined
    return {
      position,
      title: job.video_title ?? 'A file for you',
      fileName: nameOf(job),
      type: job.type,
      sizeBytes: file?.size ?? (job.type === 'video' ? job.filesize_bytes : null),
      durationMs: job.duration_ms,
      isPlayable: job.type === 'audio' || ['video/mp4', 'video/webm'].includes(mediaTypeOf(job.artifact ?? '')),
      hasPicture: (await artifacts.stat(job.id, pictureName)) !== undefined,
    }
  }

  /**
   * A use is counted once an hour for a client, when the answer begins with the first byte; no client gets a later part without
   * one, because the whole but a byte is as good as the whole.
   */
  async #handOut(visit: Visit, { isUsing }: Found, { job }: LinkedFile): Promise<Content | undefined> {
    const file = await provideFile(this.#dependencies, job)
    if (file === undefined || !(await this.#takeUse(visit, isUsing, job.id))) return undefined
    const { artifacts, noteUse } = this.#dependencies
    noteUse(job)
    return this.#deliver(visit, {
      header: (name) => (isRefused(name, visit.header(name), isUsing) ? undefined : visit.header(name)),
      delivery: { artifacts, jobId: job.id, name: file.name, fileName: nameOf(job) },
    })
  }

  /** Hands out all files of a link as one archive, which is one use. */
  async #handOutAll(visit: Visit, { isUsing, link, files }: Found): Promise<Content | undefined> {
    const { artifacts } = this.#dependencies
    const stored: LinkedFile[] = []
    for (const file of files) if (await isStored(artifacts, file.job)) stored.push(file)
    if (stored.length === 0) return undefined
    for (const { job } of stored) if (!(await this.#takeUse(visit, isUsing, job.id))) return undefined
    for (const { job } of stored) this.#dependencies.noteUse(job)
    visit.answer.header('content-type', 'application/zip')
    visit.answer.header('content-security-policy', "default-src 'none'; sandbox")
    visit.answer.header('cache-control', 'no-store')
    const content = visit.isHead ? Readable.from([]) : Readable.from(shareArchive(this.#dependencies, stored))
    return { content, fileName: `${fileTitle(link.name ?? 'files')}.zip` }
  }

  /** Counts the use of a client and notes the file, unless both were done within the hour. False when no use is left. */
  async #takeUse({ token, address, isHead }: Visit, isUsing: boolean, jobId: string): Promise<boolean> {
    const { tokens, clock } = this.#dependencies
    const wanted = {
      tokenHash: tokens.hash(token),
      clientHash: tokens.clientHash(token, address),
      jobId,
      network: clientNetwork(address),
      now: clock.now(),
    }
    const isNoted = isHead || (isUsing && (await hasFetched(this.#db, wanted)))
    return isNoted || takeUse(this.#db, wanted)
  }

  async #showPicture(visit: Visit, { job }: LinkedFile): Promise<Content | undefined> {
    const { artifacts } = this.#dependencies
    if ((await artifacts.stat(job.id, pictureName)) === undefined) return undefined
    return this.#deliver(visit, { delivery: { artifacts, jobId: job.id, name: pictureName } })
  }

  /** The headers are sent only with the file: a failure on the way must not leave any of them on the page that is answered instead. */
  async #deliver(
    visit: Visit,
    { header, delivery }: { header?: Visit['header']; delivery: Parameters<typeof deliver>[1] },
  ): Promise<Content> {
    const headers = new Map<string, string>()
    const answer = { header: (name: string, value: string) => void headers.set(name, value) }
    const content = await deliver({ isHead: visit.isHead, header: header ?? visit.header, answer }, delivery)
    for (const [name, value] of headers) visit.answer.header(name, value)
    return content
  }

  async #showWave({ answer, isHead }: Visit, { job }: LinkedFile): Promise<Content | undefined> {
    if (job.type !== 'audio') return undefined
    const { peaks } = await this.#dependencies.waveformOf(job.id)
    answer.header('content-type', 'application/json; charset=utf-8')
    answer.header('cache-control', 'private, max-age=3600')
    return { content: isHead ? Readable.from([]) : JSON.stringify({ peaks: coarsePeaks(peaks) }) }
  }

  #page({ answer }: Visit, content: string, status: number): Content {
    answer.header('content-type', 'text/html; charset=utf-8')
    answer.header('content-security-policy', this.#pages.policy)
    answer.header('cache-control', 'no-store')
    return { content, status }
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

/** Files of a page that are looked up at a time. */
const lookUps = 10

const pictureName = 'thumbnail.jpg'

const nameOf = (job: JobRow): string => downloadName(job) ?? 'media'

/**
 * Returns true for a header that is ignored: a client that has no use of the link yet gets the file from its beginning.
 */
const isRefused = (name: string, value: string | undefined, isUsing: boolean): boolean =>
  name === 'if-none-match' || (name === 'range' && !isUsing && value?.startsWith('bytes=0-') !== true)
