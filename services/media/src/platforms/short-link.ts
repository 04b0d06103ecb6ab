import type { OpenGuarded } from '@hearth/outbound'
import { MediaUrlError, readMediaUrl, type MediaUrl } from './media-url.ts'
import type { PlatformHosts } from './platform-hosts.ts'

export interface ShortLinkDependencies {
  /** Asked for one hop at a time, without cookies. */
  readonly open: OpenGuarded
  readonly hosts: PlatformHosts
  readonly signal?: AbortSignal | undefined
}

const maxHops = 5
const hopTimeout = 8000

/** The platforms answer what is no browser with a page instead of the redirect. */
const headers = { 'user-agent': 'Mozilla/5.0', accept: 'text/html' }

/**
 * Follows a short link to the address of its video, at most five hops, each of them https and on the same platform. Other
 * addresses are returned as they are. Throws a `MediaUrlError` (`short-link`, `photo-post`) when it leads elsewhere, and what
 * the guard throws when a hop cannot be reached.
 */
export async function resolveShortLink(media: MediaUrl, dependencies: ShortLinkDependencies): Promise<MediaUrl> {
  let current = media
  let url = media.url
  for (let hop = 0; current.isShortLink; hop += 1) {
    if (hop === maxHops) throw new MediaUrlError('short-link', `more than ${maxHops} redirects`)
    url = await nextHop(url, media, dependencies)
    const target = readTarget(url, dependencies.hosts)
    if (target !== undefined) current = target
  }
  return current
}

/** Returns the target of a redirect, on the same platform. */
async function nextHop(
  url: string,
  { platform }: MediaUrl,
  { open, hosts, signal }: ShortLinkDependencies,
): Promise<string> {
  await using answer = await open(url, { headers, timeoutMs: hopTimeout, signal })
  const location = answer.headers.get('location')
  if (answer.status < 300 || answer.status > 399 || location === undefined || !URL.canParse(location, url))
    throw new MediaUrlError('short-link', 'it does not redirect')
  const next = new URL(location, url)
  const owner = hosts.ownerOf(next)
  const isPlain = next.protocol === 'https:' && next.port === '' && next.username === '' && next.password === ''
  if (owner?.platform !== platform || owner.isExtra || !isPlain)
    throw new MediaUrlError('short-link', `it leads away from ${platform}`)
  next.hash = ''
  return next.href
}

/** Undefined for an address on the way, which is no video itself. */
function readTarget(url: string, hosts: PlatformHosts): MediaUrl | undefined {
  try {
    return readMediaUrl(url, hosts)
  } catch (error) {
    if (error instanceof MediaUrlError && error.fault === 'not-a-video') return undefined
    throw error
  }
}
