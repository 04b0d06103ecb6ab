import type { MediaUrl } from './media-url.ts'
import type { Platform } from './schema.ts'

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
