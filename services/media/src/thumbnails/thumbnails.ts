import { createHash } from 'node:crypto'
import type { GuardedFetch } from '@hearth/outbound'
import type { CookieJars } from '../cookies/jars.ts'
import type { MediaLookup } from '../info/info.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import { invalid, notFound, upstream } from '../problems.ts'
import { MediaFailure, type MediaFailureCode } from '../tools/media-failure.ts'
import { fetchPicture, PictureError } from './fetch-picture.ts'
import { askOembed } from './oembed.ts'
import type { PictureShelf } from './picture-shelf.ts'
import { readPictureUrl } from './picture-hosts.ts'
import type { Picture } from './picture.ts'
import type { ThumbnailAnswer } from './schema.ts'

export interface ThumbnailParts {
  readonly readUrl: (text: string) => Promise<MediaUrl>
  readonly lookup: MediaLookup
  readonly jars: Pick<CookieJars, 'describe'>
  readonly hosts: PlatformHosts
  readonly fetch: GuardedFetch
  readonly shelf: PictureShelf
}

/** What a platform says to whoever is not signed in. */
const forMembers: ReadonlySet<MediaFailureCode> = new Set(['login_required', 'bot_check', 'private'])

/** Pictures of media that are not downloaded. Throws problems in the words of the API. */
export class Thumbnails {
  readonly #parts: ThumbnailParts
  /** Those who ask for the same picture wait for the same answer. */
  readonly #running = new Map<string, Promise<ThumbnailAnswer>>()

  constructor(parts: ThumbnailParts) {
    this.#parts = parts
  }

  async resolve(url: string): Promise<ThumbnailAnswer> {
    const media = await this.#parts.readUrl(url)
    const key = keyOf(media)
    if (await this.#parts.shelf.has(key)) return found(key, true)
    const running = this.#running.get(key) ?? this.#find(media, key).finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }

  async cached(key: string): Promise<Picture> {
    if (!/^[\da-f]{64}$/.test(key)) throw invalid('cache_key must be 64 hexadecimal digits')
    const picture = await this.#parts.shelf.find(key)
    if (picture === undefined) throw notFound('thumbnail')
    return picture
  }

  /** Fetches a picture from a host on the list, and from nowhere else. */
  async proxy(text: string): Promise<Picture> {
    const url = readPictureUrl(text, this.#parts.hosts)
    if (url === undefined) throw invalid('url must be an https address on a host of the platforms’ pictures')
    return fetchPicture(url, this.#parts.fetch).catch((error: unknown) => {
      throw error instanceof PictureError ? upstream(`The picture cannot be had: ${error.message}`, error) : error
    })
  }

  /** Path on this service of a picture that a platform named; null when it is not one this service would fetch. */
  async pathOf(media: MediaUrl, named: string | null): Promise<string | null> {
    if (await this.#parts.shelf.has(keyOf(media))) return pathOfKey(keyOf(media))
    const url = named === null ? undefined : readPictureUrl(named, this.#parts.hosts)
    return url === undefined ? null : `/api/thumbnail-proxy?url=${encodeURIComponent(url.href)}`
  }

  /** Forgets pictures older than a week. */
  tidy(): Promise<void> {
    return this.#parts.shelf.tidy()
  }

  async #find(media: MediaUrl, key: string): Promise<ThumbnailAnswer> {
    if (media.platform === 'tiktok' && (await this.#take(key, await askOembed(media, this.#parts.fetch))))
      return found(key, false)
    try {
      const { thumbnail } = await this.#parts.lookup.look(media)
      if (await this.#take(key, thumbnail ?? undefined)) return found(key, false)
      return missing(null)
    } catch (error) {
      if (!(error instanceof MediaFailure)) throw error
      return missing(await this.#reasonOf(media, error))
    }
  }

  /** Whether the named picture is on the shelf now. */
  async #take(key: string, named: string | undefined): Promise<boolean> {
    const url = named === undefined ? undefined : readPictureUrl(named, this.#parts.hosts)
    if (url === undefined) return false
    try {
      await this.#parts.shelf.put(key, await fetchPicture(url, this.#parts.fetch))
      return true
    } catch (error) {
      if (error instanceof PictureError) return false
      throw error
    }
  }

  /** A stable word only where the user can do something about it. */
  async #reasonOf({ platform }: MediaUrl, { code }: MediaFailure): Promise<string | null> {
    if (!forMembers.has(code)) return null
    const { authenticated } = await this.#parts.jars.describe(platform)
    return authenticated ? null : `${platform}_cookies_missing`
  }
}

const keyOf = ({ url }: MediaUrl): string => createHash('sha256').update(url).digest('hex')
const pathOfKey = (key: string): string => `/api/thumbnail-cache/${key}`

function found(key: string, isCached: boolean): ThumbnailAnswer {
  return { thumbnail_url: pathOfKey(key), cached: isCached, unavailable: false, reason: null }
}

function missing(reason: string | null): ThumbnailAnswer {
  return { thumbnail_url: null, cached: false, unavailable: true, reason }
}
