import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { Clock } from '@hearth/runtime'
import { createSlots } from '../conversion/slots.ts'
import type { CookieJars } from '../cookies/jars.ts'
import type { MediaUrl } from '../platforms/media-url.ts'
import type { Platform } from '../platforms/schema.ts'
import type { MediaInfo, YtDlp } from '../tools/yt-dlp.ts'

/** Life of an answer in milliseconds, number of answers kept, and number of questions at a time. */
const fresh = 5 * 60_000
const mostKept = 256
const mostAtOnce = 4
const askLimit = 20_000
/** Longer documents are not kept for the download; it asks again. */
const longestKept = 2 * 1024 * 1024

/** What the platforms say about media. */
export interface MediaLookup {
  /** Asks, or answers from memory. Throws a `MediaFailure`. */
  look(media: MediaUrl): Promise<MediaInfo>
}

export interface LookupParts {
  readonly ytDlp: YtDlp
  readonly jars: CookieJars
  readonly clock: Clock
  /** Where private copies of cookies may lie for a moment. */
  readonly folder: string
  readonly extractorsFor: (platform: Platform, url: string) => readonly string[]
}

export function createMediaLookup(parts: LookupParts): MediaLookup {
  const kept = new Map<string, { at: number; info: Promise<MediaInfo> }>()
  const slots = createSlots(mostAtOnce)
  return {
    look(media) {
      const known = kept.get(media.url)
      const now = parts.clock.monotonic()
      if (known !== undefined && now - known.at < fresh) return known.info
      const signal = AbortSignal.timeout(askLimit)
      const info = slots.use(signal, () => ask(parts, media, signal))
      kept.delete(media.url)
      kept.set(media.url, { at: now, info })
      // A failure is not remembered: the next one may have better luck, or cookies.
      info.catch(() => {
        if (kept.get(media.url)?.info === info) kept.delete(media.url)
      })
      if (kept.size > mostKept) kept.delete(kept.keys().next().value ?? '')
      return info
    },
  }
}

async function ask(parts: LookupParts, media: MediaUrl, signal: AbortSignal): Promise<MediaInfo> {
  const folder = join(parts.folder, randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const info = await parts.jars.withPrivateCopy(media.platform, folder, (cookies) =>
      parts.ytDlp.probe({
        url: media.url,
        extractors: parts.extractorsFor(media.platform, media.url),
        cookies,
        signal,
        timeoutMs: askLimit,
        directory: folder,
      }),
    )
    return info.json.length > longestKept ? { ...info, json: '' } : info
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
