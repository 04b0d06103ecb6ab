import type { Platform } from '../platforms/schema.ts'
import type { MediaFormat, MediaInfo } from '../tools/yt-dlp.ts'
import type { Info } from './schema.ts'

const maxFormats = 20

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
    title: info.title ?? null,
    channel: info.channel ?? null,
    uploader: info.uploader ?? null,
    duration: info.duration == null ? null : Math.round(info.duration),
    view_count: info.view_count ?? null,
    thumbnail: null,
    platform,
    formats: unique.slice(0, maxFormats),
    formats_total: unique.length,
    formats_truncated: unique.length > maxFormats,
    unavailable: false,
    reason: null,
  }
}

/** The answer while the platform says nothing. */
export function unavailableInfo(platform: Platform, reason: string | null): Info {
  return {
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
  }
}

function labelOf({ height, abr, vcodec, acodec }: MediaFormat): string {
  const hasPicture = vcodec !== 'none' && (vcodec != null || height != null)
  if (hasPicture) return height == null ? 'video' : `${Math.round(height)}p`
  if (abr != null && abr > 0) return `${Math.round(abr)}kbps`
  return acodec === 'none' ? 'video' : 'audio'
}
