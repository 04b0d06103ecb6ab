import { OutboundFailed, OutboundRefused, type OpenGuarded } from '@hearth/outbound'
import { invalid, upstream } from '../problems.ts'
import { MediaUrlError, readMediaUrl, type MediaUrl } from './media-url.ts'
import type { PlatformHosts } from './platform-hosts.ts'
import type { Platform } from './schema.ts'
import { resolveShortLink } from './short-link.ts'

/** Reads a pasted URL and follows a short link. Throws problems of the API. */
export type UrlReader = (text: string) => Promise<MediaUrl>

const shortLinkTimeout = 8000

/** Creates the reader of pasted URLs. */
export function createUrlReader(dependencies: { hosts: PlatformHosts; open: OpenGuarded }): UrlReader {
  return async (text) => {
    try {
      const media = readMediaUrl(text, dependencies.hosts)
      if (!media.isShortLink) return media
      return await resolveShortLink(media, { ...dependencies, signal: AbortSignal.timeout(shortLinkTimeout) })
    } catch (error) {
      if (error instanceof MediaUrlError) throw invalid(error.message, `url_${error.fault.replaceAll('-', '_')}`)
      if (error instanceof OutboundRefused) throw invalid(`url: ${error.message}`, 'blocked_address')
      if (error instanceof OutboundFailed)
        throw upstream('The short link could not be followed; paste the long address', error)
      throw error
    }
  }
}

/** Creates the choice of extractors for a URL. */
export function createExtractorChoice(hosts: PlatformHosts) {
  return (platform: Platform, url: string): readonly string[] => {
    const owner = hosts.ownerOf(new URL(url))
    return extractorsFor({ platform, isExtra: owner?.isExtra === true })
  }
}

const extractors: Readonly<Record<Platform, readonly string[]>> = {
  youtube: ['youtube'],
  tiktok: ['tiktok', 'vm.tiktok'],
  instagram: ['instagram'],
  facebook: ['facebook', 'facebook:reel'],
}

/**
 * The names for yt-dlp's `--use-extractors`: what may read an address of the platform. Without such a list any address would
 * be taken by the extractor that fetches everything; that one is for hosts the operator added alone.
 */
export function extractorsFor({ platform, isExtra }: Pick<MediaUrl, 'platform' | 'isExtra'>): readonly string[] {
  return isExtra ? ['generic', 'html5'] : extractors[platform]
}
