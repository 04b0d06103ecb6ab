import { isIP } from 'node:net'
import { shapeOf } from './media-shapes.ts'
import type { HostOwner, PlatformHosts } from './platform-hosts.ts'
import { Platform } from './schema.ts'

/** The address of one video, checked and in its one form. */
export interface MediaUrl {
  readonly platform: Platform
  /** Rebuilt from the parts that were recognised; nothing else of what was pasted is in it. */
  readonly url: string
  /** `PLATFORM:…`, equal for all addresses of the same media. */
  readonly key: string
  /** It redirects to the media's address: `resolveShortLink` finds that, and with it the key. */
  readonly isShortLink: boolean
  /** Its host was added by the operator. */
  readonly isExtra: boolean
}

const maxLength = 2048

const messages = {
  missing: 'url is missing',
  'too-long': `url is longer than ${maxLength} characters`,
  unreadable: 'url cannot be read as an address',
  'not-https': 'url must begin with https://',
  credentials: 'url must not contain a user name or password',
  host: 'url must name a host of a platform, not an address or a local name',
  port: 'url must not contain a port',
  'unsupported-platform': `url is of none of the platforms ${Platform.options.join(', ')}`,
  'not-a-video': 'url is not the address of a single video',
  'photo-post': 'url is the address of a photo post, which has no video',
  'short-link': 'url is a short link that leads to no video',
  'not-a-list': 'url is not the address of a playlist or channel',
  'no-lists': 'url is of a platform whose lists of videos cannot be read',
}

/** Reason to refuse a URL. */
export type MediaUrlErrorCode = keyof typeof messages

/** An address that is not accepted; `message` says what is wrong with it. */
export class MediaUrlError extends Error {
  override readonly name = 'MediaUrlError'
  readonly fault: MediaUrlErrorCode

  /** @param detail said after the message: what exactly, where */
  constructor(fault: MediaUrlErrorCode, detail?: string) {
    super(detail === undefined ? messages[fault] : `${messages[fault]}: ${detail}`)
    this.fault = fault
  }
}

/**
 * Reads the address of one video as people paste it. What chats and web pages do to addresses (invisible characters, escaped
 * ampersands) is repaired; everything else that is not exactly an address of the platforms' grammar is refused with a
 * `MediaUrlError`. The text is parsed once, and only what was recognised goes on.
 */
export function readMediaUrl(text: string, hosts: PlatformHosts): MediaUrl {
  const { url, owner } = readPlatformUrl(text, hosts)
  return owner.isExtra ? ofExtraHost(url, owner.platform) : ofPlatform(url, owner.platform)
}

/** Reads the address of anything on a platform, and whose it is. Throws a `MediaUrlError`. */
export function readPlatformUrl(text: string, hosts: PlatformHosts): { readonly url: URL; readonly owner: HostOwner } {
  const url = readUrl(repair(text))
  const owner = hosts.ownerOf(url)
  checkPlace(url, owner)
  if (owner === undefined) throw new MediaUrlError('unsupported-platform')
  return { url, owner }
}

/** Characters without a width that come along when text is copied: joiners, marks of direction, byte order marks. */
const invisible = /[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g

function repair(text: string): string {
  // Bounded before anything is done with it; repairing only ever makes it shorter.
  if (text.length > 4 * maxLength) throw new MediaUrlError('too-long')
  const repaired = text
    .replaceAll(invisible, '')
    .trim()
    .replaceAll(/&(?:amp;)+/gi, '&')
  if (repaired === '') throw new MediaUrlError('missing')
  if (repaired.length > maxLength) throw new MediaUrlError('too-long')
  return repaired
}

/** The parser would drop or turn around what is refused here, so that the text would not be what the user saw. */
function readUrl(text: string): URL {
  if (/[\p{Cc}\s\\]/u.test(text)) throw new MediaUrlError('unreadable', 'it contains blanks, control characters or \\')
  const [, scheme, authority] = /^([a-z][a-z\d+.-]*):(?:\/\/([^/?#]*))?/i.exec(text) ?? []
  if (scheme === undefined || !/^https?$/i.test(scheme)) throw new MediaUrlError('not-https')
  if (authority === undefined || authority === '') throw new MediaUrlError('unreadable')
  if (authority.includes('@')) throw new MediaUrlError('credentials')
  if (!URL.canParse(text)) throw new MediaUrlError('unreadable')
  return new URL(text)
}

/** Refuses schemes, hosts and ports that no URL of a platform has; hosts the operator added may be anything. */
function checkPlace(url: URL, owner: HostOwner | undefined): void {
  if (owner?.isExtra === true) return
  if (url.protocol !== 'https:') throw new MediaUrlError('not-https')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 || host.endsWith('.') || !host.includes('.') || host.endsWith('.localhost'))
    throw new MediaUrlError('host')
  if (url.port !== '') throw new MediaUrlError('port')
}

function ofExtraHost(url: URL, platform: Platform): MediaUrl {
  url.hash = ''
  return { platform, url: url.href, key: `${platform}:${url.href}`, isShortLink: false, isExtra: true }
}

function ofPlatform(url: URL, platform: Platform): MediaUrl {
  const shape = shapeOf(platform, url)
  if (shape === undefined) throw new MediaUrlError('not-a-video')
  if (shape === 'photo') throw new MediaUrlError('photo-post')
  const { id, url: canonical, isShortLink } = shape
  return { platform, url: canonical, key: `${platform}:${id}`, isShortLink, isExtra: false }
}
