import { MediaUrlError, readPlatformUrl } from './media-url.ts'
import { listExtractorsOf, type PlatformHosts } from './platform-hosts.ts'
import type { Platform } from './schema.ts'

/** The address of a playlist or channel, checked and in its one form. */
export interface ListUrl {
  readonly platform: Platform
  readonly url: string
  /** Equal for all addresses of the same list. */
  readonly key: string
  readonly extractors: readonly string[]
}

/** Reads the address of a playlist or channel as people paste it. Throws a `MediaUrlError`. */
export function readListUrl(text: string, hosts: PlatformHosts): ListUrl {
  const { url, owner } = readPlatformUrl(text, hosts)
  const { platform } = owner
  const extractors = listExtractorsOf[owner.isExtra ? 'extra' : platform]
  if (extractors.length === 0) throw new MediaUrlError('no-lists', platform)
  url.hash = ''
  const canonical = owner.isExtra ? url.href : canonicalOf(platform, url)
  if (canonical === undefined) throw new MediaUrlError('not-a-list')
  return { platform, url: canonical, key: `${platform}:list:${canonical}`, extractors }
}

/** Undefined for an address that is no list. */
function canonicalOf(platform: Platform, url: URL): string | undefined {
  const path = url.pathname.replace(/\/$/, '')
  if (platform === 'youtube') return ofYoutube(url, path)
  if (platform === 'tiktok') {
    const [, user, collection] = /^\/@([\w.-]{1,24})(\/collection\/[^/]{1,150}-\d{8,24})?$/.exec(path) ?? []
    return user === undefined ? undefined : `https://www.tiktok.com/@${user}${collection ?? ''}`
  }
  if (platform !== 'instagram') return undefined
  const user = /^\/([\w.]{1,30})(?:\/reels)?$/.exec(path)?.[1]
  return user === undefined || notUsers.has(user) ? undefined : `https://www.instagram.com/${user}/`
}

/** First parts of paths on Instagram that are no user names. */
const notUsers = new Set(['p', 'reel', 'reels', 'tv', 'share', 'stories', 'explore', 'accounts', 'direct'])

function ofYoutube(url: URL, path: string): string | undefined {
  if (url.hostname === 'youtu.be') return undefined
  if (path === '/playlist') {
    const ids = url.searchParams.getAll('list')
    const id = ids.length === 1 ? /^[\w-]{10,64}$/.exec(ids[0] ?? '')?.[0] : undefined
    return id === undefined ? undefined : `https://www.youtube.com/playlist?list=${id}`
  }
  const [, name, tab = 'videos'] =
    /^\/(@[^/?#]{1,128}|(?:channel|c|user)\/[^/?#]{1,128})(?:\/(videos|shorts|streams|featured))?$/.exec(path) ?? []
  return name === undefined ? undefined : `https://www.youtube.com/${name}/${tab === 'featured' ? 'videos' : tab}`
}
