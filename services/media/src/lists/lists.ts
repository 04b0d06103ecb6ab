import type { Kysely } from 'kysely'
import { jobTimestamp } from '../jobs/job-view.ts'
import { findByMedia } from '../jobs/store.ts'
import { readListUrl, type ListUrl } from '../platforms/list-url.ts'
import { MediaUrlError } from '../platforms/media-url.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import { BlockReason, type MediaType } from '../platforms/schema.ts'
import { invalid, Problem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import type { MediaLists } from './media-lists.ts'
import type { MediaList } from './schema.ts'

export interface ListsDependencies {
  readonly db: Kysely<Tables>
  readonly hosts: PlatformHosts
  readonly mediaLists: Pick<MediaLists, 'find'>
}

/** Playlists and channels as the API shows them. Throws problems of the API. */
export class Lists {
  readonly #dependencies: ListsDependencies

  constructor(dependencies: ListsDependencies) {
    this.#dependencies = dependencies
  }

  /** Reads the address of a list. */
  readUrl(text: string): ListUrl {
    try {
      return readListUrl(text, this.#dependencies.hosts)
    } catch (error) {
      if (error instanceof MediaUrlError) throw invalid(error.message, `url_${error.fault.replaceAll('-', '_')}`)
      throw error
    }
  }

  /** The media of a list, with the downloads of a type that there are of them. */
  async find(text: string, type: MediaType): Promise<MediaList> {
    const url = this.readUrl(text)
    const list = await this.#dependencies.mediaLists.find(url).catch(throwListProblem)
    const keys = list.members.map(({ media }) => media.key)
    const known = await findByMedia(this.#dependencies.db, { keys, type })
    return {
      platform: url.platform,
      url: url.url,
      title: list.title,
      entries: list.members.map(({ media, title, durationSeconds, publishedAt }) => ({
        url: media.url,
        title,
        duration_seconds: durationSeconds,
        published_on: publishedAt === null ? null : jobTimestamp(publishedAt).slice(0, 10),
        job_id: known.get(media.key) ?? null,
      })),
      left_out: list.leftOut,
      is_truncated: list.isTruncated,
    }
  }
}

/** Throws the problem of a list that cannot be read. */
function throwListProblem(error: unknown): never {
  if (!(error instanceof MediaFailure)) throw error
  const isOurs = error.code === 'tool_missing' || BlockReason.safeParse(error.code).success
  throw new Problem(isOurs ? 503 : 502, error.message, { more: { error: error.code }, cause: error })
}
