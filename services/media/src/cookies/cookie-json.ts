import { parseIsoTime } from '@hearth/runtime'
import { z } from 'zod'
import { CookieError, type CookieDraft } from './cookie.ts'

const Timestamp = z.union([z.number(), z.string(), z.null()]).optional()

/** One entry of an export, under the names that extensions and browser drivers use. */
const Entry = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string().optional(),
  host: z.string().optional(),
  path: z.string().optional(),
  secure: z.boolean().optional(),
  httpOnly: z.boolean().optional(),
  hostOnly: z.boolean().optional(),
  session: z.boolean().optional(),
  expirationDate: Timestamp,
  expires: Timestamp,
  expiry: Timestamp,
})

const Export = z.union([
  z.array(z.unknown()),
  z.object({ cookies: z.array(z.unknown()) }).transform(({ cookies }) => cookies),
])

/** From here on a number is milliseconds: as seconds it would be the year 5138. */
const firstMilliseconds = 100_000_000_000

/**
 * Reads the JSON export of a browser extension or driver: an array of cookies or an object with one. Entries that are no
 * cookie are skipped; a missing domain is the one given. Throws a `CookieError` when it is no such export.
 */
export function parseCookieJson(text: string, domain: string): CookieDraft[] {
  let entries: unknown[]
  try {
    entries = Export.parse(JSON.parse(text))
  } catch {
    // The parser's own message would repeat a part of the text, and that may be a value.
    throw new CookieError('unreadable', 'the JSON is no list of cookies')
  }
  return entries.flatMap((entry) => {
    const { data } = Entry.safeParse(entry)
    return data === undefined ? [] : [draftOf(data, domain)]
  })
}

function draftOf(entry: z.infer<typeof Entry>, fallback: string): CookieDraft {
  const { domain, host, session, expirationDate, expires, expiry, ...members } = entry
  const seconds = session === true ? undefined : secondsOf(expirationDate ?? expires ?? expiry)
  return { ...members, domain: domain ?? host ?? fallback, expires: seconds }
}

function secondsOf(end: z.infer<typeof Timestamp>): number | undefined {
  const number = typeof end === 'number' ? end : /^\d+(?:\.\d+)?$/.test(end ?? '') ? Number(end) : timeOf(end ?? '')
  if (number === undefined) return undefined
  return number >= firstMilliseconds ? number / 1000 : number
}

/** ISO 8601, or a date as HTTP headers have it; undefined for everything else and for dates that do not exist. */
function timeOf(text: string): number | undefined {
  if (/^\d/.test(text)) return parseIsoTime(text, { withoutOffset: true, dateOnly: true })
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
