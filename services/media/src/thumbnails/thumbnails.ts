import { createHash } from 'node:crypto'
import type { GuardedFetch } from '@hearth/outbound'
import type { CookieJars } from '../cookies/jars.ts'
import type { MediaLookup } from '../info/info.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import { invalid, notFound, upstream } from '../problems.ts'
import { MediaFailure, type MediaFailureCode } from '../tools/media-failure.ts'
import { queryOembed, fetchPicture, PictureError, readPictureUrl } from './fetch-picture.ts'
import type { PictureCache } from './picture-cache.ts'
import type { Picture } from '../pictures/picture.ts'
import type { ThumbnailAnswer } from './schema.ts'

export interface ThumbnailDependencies {
  readonly readUrl: (text: string) => Promise<MediaUrl>
  readonly lookup: Pick<MediaLookup, 'find'>
  readonly jars: Pick<CookieJars, 'describe'>
  readonly hosts: PlatformHosts
  readonly fetch: GuardedFetch
  readonly pictures: PictureCache
}

/** Failures that a signed-in user might not get. */
const signInFailures: ReadonlySet<MediaFailureCode> = new Set(['login_required', 'bot_check', 'private'])

/** Pictures of media that are not downloaded. Throws problems of the API. */
export class Thumbnails {
  readonly #dependencies: ThumbnailDependencies
  /** Concurrent requests for the same picture share one result. */
  readonly #running = new Map<string, Promise<ThumbnailAnswer>>()

  constructor(dependencies: ThumbnailDependencies) {
    this.#dependencies = dependencies
  }

  async resolve(url: string): Promise<ThumbnailAnswer> {
    const media = await this.#dependencies.readUrl(url)
    const key = keyOf(media)
    if (await this.#dependencies.pictures.has(key)) return found(key, true)
    const running = this.#running.get(key) ?? this.#find(media, key).finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }

  async cached(key: string): Promise<Picture> {
    if (!/^[\da-f]{64}$/.test(key)) throw invalid('cache_key must be 64 hexadecimal digits')
    const picture = await this.#dependencies.pictures.find(key)
    if (picture === undefined) throw notFound('thumbnail')
    return picture
  }

  /** Fetches a picture from a host on the list, and from nowhere else. */
  async proxy(text: string): Promise<Picture> {
    const url = readPictureUrl(text, this.#dependencies.hosts)
    if (url === undefined) throw invalid('url must be an https address on a host of the platforms’ pictures')
    return fetchPicture(url, this.#dependencies.fetch).catch((error: unknown) => {
      throw error instanceof PictureError ? upstream(`The picture cannot be had: ${error.message}`, error) : error
    })
  }

  /** Path on this service of a picture that a platform named; null when it is not one this service would fetch. */
  async pathOf(media: MediaUrl, named: string | null): Promise<string | null> {
    if (await this.#dependencies.pictures.has(keyOf(media))) return pathOfKey(keyOf(media))
    const url = named === null ? undefined : readPictureUrl(named, this.#dependencies.hosts)
    return url === undefined ? null : `/api/thumbnail-proxy?url=${encodeURIComponent(url.href)}`
  }

  /** Forgets pictures older than a week. */
  tidy(): Promise<void> {
    return this.#dependencies.pictures.tidy()
  }

  async #find(media: MediaUrl, key: string): Promise<ThumbnailAnswer> {
    if (media.platform === 'tiktok' && (await this.#take(key, await queryOembed(media, this.#dependencies.fetch))))
      return found(key, false)
    try {
      const { thumbnail } = await this.#dependencies.lookup.find(media)
      if (await this.#take(key, thumbnail ?? undefined)) return found(key, false)
      return missing(null)
    } catch (error) {
      if (!(error instanceof MediaFailure)) throw error
      return missing(await this.#reasonOf(media, error))
    }
  }

  /** Stores the picture at the URL; false when there is none that may be fetched. */
  async #take(key: string, named: string | undefined): Promise<boolean> {
    const url = named === undefined ? undefined : readPictureUrl(named, this.#dependencies.hosts)
    if (url === undefined) return false
    try {
      await this.#dependencies.pictures.put(key, await fetchPicture(url, this.#dependencies.fetch))
      return true
    } catch (error) {
      if (error instanceof PictureError) return false
      throw error
    }
  }

  /** A stable word only where the user can do something about it. */
  async #reasonOf({ platform }: MediaUrl, { code }: MediaFailure): Promise<string | null> {
    if (!signInFailures.has(code)) return null
    const { authenticated } = await this.#dependencies.jars.describe(platform)
    return authenticated ? null : `${platform}_cookies_missing`
  }
}

const keyOf = ({ url }: MediaUrl): string => createHash('sha256').update(url).digest('hex')
const pathOfKey = (key: string): string => `/api/thumbnail-cache/${key}`

function found(key: string, cached: boolean): ThumbnailAnswer {
  return { thumbnail_url: pathOfKey(key), cached, unavailable: false, reason: null }
}

function missing(reason: string | null): ThumbnailAnswer {
  return { thumbnail_url: null, cached: false, unavailable: true, reason }
}
