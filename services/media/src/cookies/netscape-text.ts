import { CookieError, makeCookie, type Cookie, type CookieDraft } from './cookie.ts'

const heading = '# Netscape HTTP Cookie File\n'
const httpOnlyMark = '#HttpOnly_'

/** Bytes of one line. */
const maxLineBytes = 8 * 1024

/** Writes a jar as browsers' exports and download tools have it: a line a cookie, seven fields, tabs between them. */
export function encodeNetscape(cookies: readonly Cookie[]): string {
  return `${heading}\n${cookies.map((cookie) => `${lineOf(cookie)}\n`).join('')}`
}

function lineOf({ domain, includeSubdomains, path, secure, httpOnly, expires, name, value }: Cookie): string {
  const place = `${httpOnly ? httpOnlyMark : ''}${includeSubdomains ? '.' : ''}${domain}`
  return [place, flag(includeSubdomains), path, flag(secure), `${expires ?? 0}`, name, value].join('\t')
}

function flag(value: boolean): string {
  return value ? 'TRUE' : 'FALSE'
}

/** Returns true if a text looks like a jar: its heading, or a line of its fields. */
export function isNetscape(text: string): boolean {
  if (/^# (?:Netscape )?HTTP Cookie File/i.test(text)) return true
  return text.split(/\r?\n/).some((line) => isEntry(line) && fieldsOf(line) !== undefined)
}

/** Reads a jar. Lines that are no cookie are skipped; throws a `CookieError` when a line is too long or none is a cookie. */
export function parseNetscape(text: string): Cookie[] {
  const lines = text.split(/\r?\n/)
  const long = lines.findIndex((line) => Buffer.byteLength(line) > maxLineBytes)
  if (long !== -1) throw new CookieError('unreadable', `line ${long + 1} of the cookie file is longer than 8 KiB`)
  const drafts = lines.filter((line) => isEntry(line)).map((line) => fieldsOf(line))
  const cookies = drafts.flatMap((draft) => (draft === undefined ? [] : (makeCookie(draft) ?? [])))
  if (cookies.length === 0) throw new CookieError('unreadable', 'the cookie file contains no cookie')
  return cookies
}

function isEntry(line: string): boolean {
  return line.trim() !== '' && (!line.startsWith('#') || line.startsWith(httpOnlyMark))
}

function fieldsOf(line: string): CookieDraft | undefined {
  const httpOnly = line.startsWith(httpOnlyMark)
  const entry = httpOnly ? line.slice(httpOnlyMark.length) : line
  // Tabs become blanks when a jar is copied out of a page; a value may be empty then.
  const separate = entry.includes('\t') ? entry.split('\t') : entry.trim().split(/\s+/)
  const fields = separate.length === 6 ? [...separate, ''] : separate
  const [domain = '', subdomains = '', path, secure = '', expires = '', name = '', value = ''] = fields
  const isFlag = (text: string) => /^(?:TRUE|FALSE)$/i.test(text)
  if (fields.length !== 7 || !isFlag(subdomains) || !isFlag(secure) || !/^-?\d*(?:\.\d+)?$/.test(expires))
    return undefined
  return {
    domain,
    hostOnly: /^FALSE$/i.test(subdomains),
    path,
    secure: /^TRUE$/i.test(secure),
    httpOnly,
    expires: Number(expires),
    name,
    value,
  }
}
