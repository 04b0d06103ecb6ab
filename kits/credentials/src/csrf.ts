import { createHmac, timingSafeEqual } from 'node:crypto'

/** The token a page must send with every write of this session: bound to the session key, so nothing more is stored. */
export function csrfTokenOf(sessionKey: string): string {
  return createHmac('sha256', sessionKey).update('csrf').digest('base64url')
}

/** True when the text is the session's token; takes the same time for every wrong one. */
export function isCsrfToken(text: string, sessionKey: string): boolean {
  const expected = Buffer.from(csrfTokenOf(sessionKey))
  const given = Buffer.from(text)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
