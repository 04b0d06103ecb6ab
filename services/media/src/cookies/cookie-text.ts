import type { Platform } from '../platforms/schema.ts'
import { CookieError, makeCookie, type Cookie, type CookieDraft } from './cookie.ts'
import { parseCookieJson } from './cookie-json.ts'
import { readCopiedRequest } from './copied-request.ts'
import { isNetscape, parseNetscape } from './netscape-text.ts'
import { domainOf, loginStateOf, platformCookies } from './platform-cookies.ts'

/** Bytes of a file or text with cookies. */
export const maxCookieTextBytes = 256 * 1024

/** Cookies of one platform. */
const maxCookies = 512

/** The text of an uploaded file. Throws a `CookieError`: `too-large`, `not-utf8`. */
export function decodeCookieFile(bytes: Uint8Array): string {
  if (bytes.length > maxCookieTextBytes) throw tooLarge()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CookieError('not-utf8', 'the cookie file is not UTF-8 text')
  }
}

/**
 * Reads the cookies of a platform out of whatever a browser or an extension gives: a Netscape jar, a cookie header, a request
 * copied as curl (bash and cmd), fetch or PowerShell, or a JSON export. Cookies of other sites are left out; a request that
 * was sent to another site is refused. Throws a `CookieError`.
 */
export function readCookieText(text: string, platform: Platform): Cookie[] {
  if (Buffer.byteLength(text) > maxCookieTextBytes) throw tooLarge()
  const plain = text.replace(/^\uFEFF/, '').trim()
  if (plain === '') throw new CookieError('empty', 'there are no cookies in the text')
  const all = readAny(plain, platform)
  if (all.length === 0) throw new CookieError('unreadable', 'the text contains no cookie')
  const own = all.filter(({ domain }) => domainOf(platform, domain) !== undefined)
  if (own.length === 0) throw new CookieError('foreign-host', `no cookie of the text belongs to ${domainsOf(platform)}`)
  // What comes later is newer, in exports and requests alike.
  const unique = new Map(own.map((cookie) => [`${cookie.domain} ${cookie.path} ${cookie.name}`, cookie]))
  if (unique.size > maxCookies) throw new CookieError('unreadable', `there are more than ${maxCookies} cookies`)
  return [...unique.values()]
}

/** Throws a `CookieError` (`no-login-cookies`) that names what is missing, unless the cookies contain a login. */
export function requireLogin(platform: Platform, cookies: readonly Cookie[]): void {
  const { missing } = loginStateOf(platform, cookies)
  if (missing.length > 0)
    throw new CookieError('no-login-cookies', `nobody is signed in to ${platform}: ${missing.join(', ')} is missing`)
}

function readAny(text: string, platform: Platform): Cookie[] {
  const [own] = platformCookies[platform].domains
  if (/^[[{]/.test(text)) return cookiesOf(parseCookieJson(text, own))
  if (isNetscape(text)) return parseNetscape(text)
  const request = readCopiedRequest(text)
  if (request === undefined)
    throw new CookieError('unreadable', 'the text is no cookie file, cookie header, copied request or JSON export')
  const places = request.hosts.map((host) => ({ host, domain: domainOf(platform, host) }))
  const foreign = places.find(({ domain }) => domain === undefined)
  if (foreign !== undefined)
    throw new CookieError('foreign-host', `the request was sent to ${foreign.host}, not to ${domainsOf(platform)}`)
  const place = places[0]?.domain ?? own
  return cookiesOf(request.cookies.map(({ name, value, domain = place }) => ({ name, value, domain })))
}

function cookiesOf(drafts: readonly CookieDraft[]): Cookie[] {
  return drafts.flatMap((draft) => makeCookie(draft) ?? [])
}

function domainsOf(platform: Platform): string {
  return platformCookies[platform].domains.join(' or ')
}

function tooLarge(): CookieError {
  return new CookieError('too-large', 'cookies must not be larger than 256 KiB')
}
