import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Name of the CSRF cookie, which pages and scripts read. Clients find it by its ending, `_csrf`. */
export const csrfCookie = 'hearth_media_csrf'

/** The double-submit token: random, and bound to the session it belongs to, so that one of another session is worth nothing. */
export interface CsrfTokens {
  /** @param session key of the session, or undefined for a visitor */
  create(session: string | undefined): string
  isValid(token: string, session: string | undefined): boolean
}

export function createCsrfTokens(secret: Uint8Array): CsrfTokens {
  const proofOf = (random: string, session: string | undefined) =>
    createHmac('sha256', secret)
      .update(`csrf ${random} ${session ?? ''}`)
      .digest()
  return {
    create(session) {
      const random = randomBytes(24).toString('base64url')
      return `${random}.${proofOf(random, session).toString('base64url')}`
    },
    isValid(token, session) {
      const [random, proof] = token.split('.')
      if (random === undefined || proof === undefined) return false
      const given = Buffer.from(proof, 'base64url')
      const expected = proofOf(random, session)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}

/** Whether two texts are the same, in a time that tells nothing. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
