import { OutboundFailed, OutboundRefused, type GuardedFetch } from '@hearth/outbound'
import { readPicture, type Picture } from '../pictures/picture.ts'
import type { PlatformHosts } from '../platforms/platform-hosts.ts'
import { z } from 'zod'
import type { MediaUrl } from '../platforms/media-url.ts'

/** A picture that could not be fetched; `message` says why without the address. */
export class PictureError extends Error {
  override readonly name = 'PictureError'
}

const pictureRequest = {
  headers: { accept: 'image/webp,image/png,image/jpeg' },
  timeoutMs: 8000,
  maxBytes: 2 * 1024 * 1024,
}

/**
 * Fetches a picture, without redirects and without cookies, and makes sure it is what its server says it is: 8 seconds,
 * 2 MiB, JPEG, PNG or WebP. Throws a `PictureError`.
 */
export async function fetchPicture(url: URL, fetch: GuardedFetch): Promise<Picture> {
  const answer = await fetch(url, pictureRequest).catch((cause: unknown) => {
    if (!(cause instanceof OutboundFailed || cause instanceof OutboundRefused)) throw cause
    throw new PictureError(cause.message, { cause })
  })
  if (answer.status !== 200) throw new PictureError(`its server answered ${answer.status}`)
  const declared = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  const facts = readPicture(answer.body)
  if (facts === undefined) throw new PictureError('it is no JPEG, PNG or WebP of a usual size')
  // An unofficial media type that some servers use.
  if ((declared === 'image/jpg' ? 'image/jpeg' : declared) !== facts.media)
    throw new PictureError('it is of another type than its server says')
  return { bytes: answer.body, media: facts.media }
}

/** Domains of the platforms' pictures; subdomains count too. */
const pictureDomains = [
  'ytimg.com',
  'tiktokcdn.com',
  'tiktokcdn-us.com',
  'ttwstatic.com',
  'tiktokv.com',
  'byteimg.com',
  'ibyteimg.com',
  'muscdn.com',
  'cdninstagram.com',
  'fbcdn.net',
]

/**
 * Reads the address of a picture; undefined unless it lies on a host of the platforms' pictures, by https and on the usual
 * port, or on a host the operator added.
 */
export function readPictureUrl(text: string, hosts: PlatformHosts): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  if (!isWeb || url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  if (hosts.ownerOf(url)?.isExtra === true) return url
  const isListed = pictureDomains.some((domain) => url.hostname === domain || url.hostname.endsWith(`.${domain}`))
  return isListed && url.protocol === 'https:' && url.port === '' ? url : undefined
}

const Answer = z.object({ thumbnail_url: z.string().max(4096) })

/**
 * Queries the platform's own description service for the address of a picture, which is quicker than yt-dlp. Without cookies;
 * undefined when it does not say. A host the operator added is queried itself, and no other.
 */
export async function queryOembed({ url }: MediaUrl, fetch: GuardedFetch): Promise<string | undefined> {
  const address = new URL('/oembed', url)
  address.searchParams.set('url', url)
  try {
    const { status, body } = await fetch(address, { timeoutMs: 6000, maxBytes: 256 * 1024 })
    return status === 200 ? Answer.parse(JSON.parse(Buffer.from(body).toString())).thumbnail_url : undefined
  } catch (error) {
    const isForeseen = error instanceof SyntaxError || error instanceof z.ZodError
    if (isForeseen || error instanceof OutboundFailed || error instanceof OutboundRefused) return undefined
    throw error
  }
}
