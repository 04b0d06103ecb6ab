import type { PlatformHosts } from '../platforms/platform-hosts.ts'

/** Where the platforms keep pictures: these domains and everything below them. */
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
