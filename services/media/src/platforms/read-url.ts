import { OutboundFailed, OutboundRefused, type OpenGuarded } from '@hearth/outbound'
import { invalid, upstream } from '../problems.ts'
import { extractorsFor } from './extractors.ts'
import { MediaUrlError, readMediaUrl, type MediaUrl } from './media-url.ts'
import type { PlatformHosts } from './platform-hosts.ts'
import type { Platform } from './schema.ts'
import { resolveShortLink } from './short-link.ts'

/** Reads an address as it was pasted, and follows a short link to the media. Throws problems in the words of the API. */
export type UrlReader = (text: string) => Promise<MediaUrl>

const patience = 8000

export function createUrlReader(parts: { hosts: PlatformHosts; open: OpenGuarded }): UrlReader {
  return async (text) => {
    try {
      const media = readMediaUrl(text, parts.hosts)
      if (!media.isShortLink) return media
      return await resolveShortLink(media, { ...parts, signal: AbortSignal.timeout(patience) })
    } catch (error) {
      if (error instanceof MediaUrlError) throw invalid(error.message, `url_${error.fault.replaceAll('-', '_')}`)
      if (error instanceof OutboundRefused) throw invalid(`url: ${error.message}`, 'blocked_address')
      if (error instanceof OutboundFailed)
        throw upstream('The short link could not be followed; paste the long address', error)
      throw error
    }
  }
}

/** The extractors yt-dlp may use for a media. */
export function createExtractorChoice(hosts: PlatformHosts) {
  return (platform: Platform, url: string): readonly string[] => {
    const owner = hosts.ownerOf(new URL(url))
    return extractorsFor({ platform, isExtra: owner?.isExtra === true })
  }
}
