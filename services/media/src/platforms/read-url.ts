import { OutboundFailed, OutboundRefused, type OpenGuarded } from '@hearth/outbound'
import { invalid, upstream } from '../problems.ts'
import { MediaUrlError, readMediaUrl, type MediaUrl } from './media-url.ts'
import type { PlatformHosts } from './platform-hosts.ts'

/** Reads a pasted URL and follows a short link. Throws problems of the API. */
export type UrlReader = (text: string) => Promise<MediaUrl>

const shortLinkTimeout = 8000

interface ReadDependencies {
  readonly hosts: PlatformHosts
  /** Opens one hop at a time, without cookies. */
  readonly open: OpenGuarded
}

/** Creates the reader of pasted URLs. */
export function createUrlReader(dependencies: ReadDependencies): UrlReader {
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

const maxHops = 5
const hopTimeout = 8000

/** The platforms answer other clients than browsers with a page instead of the redirect. */
const headers = { 'user-agent': 'Mozilla/5.0', accept: 'text/html' }

/**
 * Follows a short link to the address of its video, at most five hops, each of them https and on the same platform. Other
 * addresses are returned as they are. Throws a `MediaUrlError` (`short-link`, `photo-post`) when it leads elsewhere, and what
 * the guard throws when a hop cannot be reached.
 */
export async function resolveShortLink(
  media: MediaUrl,
  dependencies: ReadDependencies & { readonly signal?: AbortSignal },
): Promise<MediaUrl> {
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
  { open, hosts, signal }: ReadDependencies & { readonly signal?: AbortSignal },
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
