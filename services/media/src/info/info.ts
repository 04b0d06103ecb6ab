import { setTimeout } from 'node:timers/promises'
import { withTemporaryFolder, writeFileAtomic, type Clock } from '@hearth/runtime'
import { createSlots } from '../conversion/slots.ts'
import type { CookieJars } from '../cookies/jars.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import type { Platform } from '../platforms/schema.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import type { PlatformPauses } from '../pauses/platform-pauses.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import type { MediaFormat, MediaInfo } from '../tools/media-info.ts'
import type { YtDlp } from '../tools/yt-dlp.ts'
import type { Info } from './schema.ts'

/** Lifetime of an answer, milliseconds; number of answers kept; maximum of concurrent probes. */
const fresh = 5 * 60_000
const maxKept = 256
const maxConcurrent = 4
const probeTimeout = 20_000
/** Time that a submission waits for an answer, milliseconds. */
const soonLimit = 8000
/** Maximum size of a document kept for the download, which queries again otherwise. */
const maxKeptJson = 2 * 1024 * 1024

/** Facts about media, from the platforms. */
export type MediaLookup = ReturnType<typeof createMediaLookup>

export interface LookupDependencies {
  readonly ytDlp: YtDlp
  readonly jars: CookieJars
  readonly clock: Clock
  /** Folder for temporary copies of cookies. */
  readonly folder: string
  readonly hosts: PlatformHosts
  readonly pauses: Pick<PlatformPauses, 'holding'>
}

/** Creates the lookup: answers are cached, and few probes run at a time. */
export function createMediaLookup(dependencies: LookupDependencies) {
  const kept = new Map<string, { at: number; info: Promise<MediaInfo> }>()
  const slots = createSlots(maxConcurrent)
  /** Returns the facts, from memory if fresh. Throws a `MediaFailure`. */
  function find(media: MediaUrl): Promise<MediaInfo> {
    const known = kept.get(media.url)
    const now = dependencies.clock.monotonic()
    if (known !== undefined && now - known.at < fresh) return known.info
    const signal = AbortSignal.timeout(probeTimeout)
    const info = slots.use(signal, () => probe(dependencies, media, signal))
    kept.delete(media.url)
    kept.set(media.url, { at: now, info })
    // A failure is not cached: the next request may succeed, or have cookies.
    info.catch(() => {
      if (kept.get(media.url)?.info === info) kept.delete(media.url)
    })
    if (kept.size > maxKept) kept.delete(kept.keys().next().value ?? '')
    return info
  }

  return {
    find,
    /**
     * Returns the facts if they come within 8 seconds, and writes the platform's document to `infoFile` for the download. A
     * platform that fails, or takes longer, is not waited for: undefined.
     */
    async findSoon(media: MediaUrl, infoFile: string): Promise<MediaInfo | undefined> {
      const late = setTimeout(soonLimit, undefined, { ref: false })
      const info = await Promise.race([find(media).catch(() => undefined), late])
      if (info !== undefined && info.json !== '') await writeFileAtomic(infoFile, info.json).catch(() => undefined)
      return info
    },
  }
}

async function probe(dependencies: LookupDependencies, media: MediaUrl, signal: AbortSignal): Promise<MediaInfo> {
  // A platform that refuses this server is left alone until the wait is over.
  const pause = await dependencies.pauses.holding(media.platform)
  if (pause !== undefined) throw new MediaFailure(pause.reason)
  const info = await withTemporaryFolder(dependencies.folder, (folder) =>
    dependencies.jars.withPrivateCopy(media.platform, folder, (cookies) =>
      dependencies.ytDlp.probe({
        url: media.url,
        extractors: dependencies.hosts.extractorsFor(media.platform, media.url),
        cookies,
        signal,
        timeoutMs: probeTimeout,
        directory: folder,
      }),
    ),
  )
  return info.json.length > maxKeptJson ? { ...info, json: '' } : info
}

const maxFormats = 20

/** The answer while the platform does not say what a media is. */
export const unavailableInfo = (platform: Platform, reason: string | null): Info => ({
  title: null,
  channel: null,
  uploader: null,
  duration: null,
  view_count: null,
  thumbnail: null,
  platform,
  formats: [],
  formats_total: 0,
  formats_truncated: false,
  unavailable: true,
  reason,
})

/** Converts a platform's answer to the API's shape. */
export function infoView(platform: Platform, info: MediaInfo): Info {
  const named = info.formats.map((format) => ({
    format_id: format.format_id,
    ext: format.ext ?? null,
    resolution: labelOf(format),
    filesize: format.filesize === null || format.filesize === undefined ? null : Math.round(format.filesize),
  }))
  const unique = [...new Map(named.map((format) => [`${format.resolution} ${format.ext}`, format])).values()]
  return {
    ...unavailableInfo(platform, null),
    title: info.title ?? null,
    channel: info.channel ?? null,
    uploader: info.uploader ?? null,
    duration: info.duration == null ? null : Math.round(info.duration),
    view_count: info.view_count ?? null,
    formats: unique.slice(0, maxFormats),
    formats_total: unique.length,
    formats_truncated: unique.length > maxFormats,
    unavailable: false,
  }
}

function labelOf({ height, abr, vcodec, acodec }: MediaFormat): string {
  const hasPicture = vcodec !== 'none' && (vcodec != null || height != null)
  if (hasPicture) return height == null ? 'video' : `${Math.round(height)}p`
  if (abr != null && abr > 0) return `${Math.round(abr)}kbps`
  return acodec === 'none' ? 'video' : 'audio'
}
