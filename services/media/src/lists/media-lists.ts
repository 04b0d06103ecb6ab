import { withTemporaryFolder, type Clock } from '@hearth/runtime'
import { createSlots } from '../conversion/slots.ts'
import type { CookieJars } from '../cookies/jars.ts'
import { blockReasonOf } from '../pauses/pause-rules.ts'
import type { PlatformPauses } from '../pauses/platform-pauses.ts'
import type { ListUrl } from '../platforms/list-url.ts'
import { MediaUrlError, readMediaUrl, type MediaUrl } from '../platforms/media-url.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import { plainText } from '../tags/plain-text.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import type { YtDlp } from '../tools/yt-dlp.ts'
import type { ListEntry } from '../tools/yt-dlp-output.ts'

/** Maximum of entries that are read of a list; of lists that are read at a time, and kept. */
export const maxEntries = 1000
const [maxConcurrent, maxKept] = [2, 32]
const [fresh, listTimeout] = [5 * 60_000, 90_000]
const maxTitle = 500

/** A medium of a list. */
export interface ListMember {
  readonly media: MediaUrl
  readonly title: string | null
  readonly durationSeconds: number | null
  /** Milliseconds since the epoch. */
  readonly publishedAt: number | null
}

/** What a platform says of a list. */
export interface ReadList {
  readonly title: string | null
  readonly members: readonly ListMember[]
  readonly leftOut: number
  readonly isTruncated: boolean
}

/** Lists of media, from the platforms. */
export type MediaLists = ReturnType<typeof createMediaLists>

export interface ListDependencies {
  readonly ytDlp: Pick<YtDlp, 'list'>
  readonly jars: CookieJars
  readonly clock: Clock
  /** Folder for temporary copies of cookies. */
  readonly folder: string
  readonly hosts: PlatformHosts
  readonly pauses: Pick<PlatformPauses, 'holding' | 'refuseList'>
}

/** Creates the reader of lists: answers are kept for a while, and few lists are read at a time. */
export function createMediaLists(dependencies: ListDependencies) {
  const kept = new Map<string, { at: number; list: Promise<ReadList> }>()
  const slots = createSlots(maxConcurrent)
  /** Reads a list anew. Throws a `MediaFailure`. */
  function read(url: ListUrl, stop?: AbortSignal): Promise<ReadList> {
    const limit = AbortSignal.timeout(listTimeout)
    const signal = stop === undefined ? limit : AbortSignal.any([limit, stop])
    const list = slots.use(signal, () => readOnce(dependencies, url, signal)).catch(explainTimeout)
    kept.delete(url.key)
    kept.set(url.key, { at: dependencies.clock.monotonic(), list })
    list.catch(() => {
      if (kept.get(url.key)?.list === list) kept.delete(url.key)
    })
    if (kept.size > maxKept) kept.delete(kept.keys().next().value ?? '')
    return list
  }

  return {
    read,
    /** Returns the list, from memory if fresh. Throws a `MediaFailure`. */
    find(url: ListUrl): Promise<ReadList> {
      const known = kept.get(url.key)
      return known !== undefined && dependencies.clock.monotonic() - known.at < fresh ? known.list : read(url)
    },
  }
}

function explainTimeout(error: unknown): never {
  if (error instanceof MediaFailure) throw error
  throw error instanceof Error && error.name === 'TimeoutError' ? new MediaFailure('timeout', undefined, error) : error
}

async function readOnce(dependencies: ListDependencies, list: ListUrl, signal: AbortSignal): Promise<ReadList> {
  const { pauses, hosts } = dependencies
  const pause = await pauses.holding(list.platform)
  if (pause !== undefined) throw new MediaFailure(pause.reason)
  try {
    return listOf(await readEntries(dependencies, list, signal), list, hosts)
  } catch (error) {
    const reason = error instanceof MediaFailure ? blockReasonOf(error.code) : undefined
    if (reason !== undefined) await pauses.refuseList(list.platform, reason)
    throw error
  }
}

function readEntries(
  { ytDlp, jars, folder }: ListDependencies,
  list: ListUrl,
  signal: AbortSignal,
): Promise<ListEntry[]> {
  return withTemporaryFolder(folder, (directory) =>
    jars.withPrivateCopy(list.platform, directory, (cookies) =>
      ytDlp.list({
        url: list.url,
        extractors: list.extractors,
        cookies,
        signal,
        timeoutMs: listTimeout,
        directory,
        // One more tells that there are more.
        max: maxEntries + 1,
      }),
    ),
  )
}

/** Keeps of the entries those that can be downloaded, each once: what a list names is believed as little as what is pasted. */
export function listOf(
  entries: readonly ListEntry[],
  list: Pick<ListUrl, 'platform' | 'url'>,
  hosts: PlatformHosts,
): ReadList {
  const read = entries.slice(0, maxEntries)
  const members = new Map<string, ListMember>()
  for (const entry of read) {
    const media = mediaOf(entry, list, hosts)
    if (media === undefined || members.has(media.key)) continue
    members.set(media.key, {
      media,
      title: plainText(entry.title, maxTitle),
      durationSeconds: entry.duration == null ? null : Math.round(entry.duration),
      publishedAt: publishedAt(entry),
    })
  }
  return {
    title: plainText(entries.find(({ playlist_title: title }) => title)?.playlist_title, maxTitle),
    members: [...members.values()],
    leftOut: read.length - members.size,
    isTruncated: entries.length > maxEntries,
  }
}

/** Undefined for an entry that is no medium of the same platform, that is the list itself, or that has not happened yet. */
function mediaOf(
  entry: ListEntry,
  list: Pick<ListUrl, 'platform' | 'url'>,
  hosts: PlatformHosts,
): MediaUrl | undefined {
  if (entry.live_status === 'is_live' || entry.live_status === 'is_upcoming') return undefined
  try {
    const media = readMediaUrl(entry.url, hosts)
    return media.platform === list.platform && media.url !== list.url && !media.isShortLink ? media : undefined
  } catch (error) {
    if (error instanceof MediaUrlError) return undefined
    throw error
  }
}

function publishedAt({ timestamp, upload_date: day }: ListEntry): number | null {
  if (timestamp != null && timestamp < 8_640_000_000_000) return Math.round(timestamp * 1000)
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(day ?? '') ?? []
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(date))
}
