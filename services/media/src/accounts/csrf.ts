import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Name of the CSRF cookie, which pages and scripts read. Clients find it by its ending, `_csrf`. */
export const csrfCookie = 'hearth_media_csrf'

/** Double-submit tokens: random, and bound to a session, so that one of another session is worth nothing. */
export type CsrfTokens = ReturnType<typeof createCsrfTokens>

/** Creates the CSRF tokens; they are signed with the secret. Their session is its key, or undefined for a visitor. */
export function createCsrfTokens(secret: Uint8Array) {
  const proofOf = (random: string, session: string | undefined) =>
    createHmac('sha256', secret)
      .update(`csrf ${random} ${session ?? ''}`)
      .digest()
  return {
    create(session: string | undefined): string {
      const random = randomBytes(24).toString('base64url')
      return `${random}.${proofOf(random, session).toString('base64url')}`
    },
    isValid(token: string, session: string | undefined): boolean {
      const [random, proof] = token.split('.')
      if (random === undefined || proof === undefined) return false
      return isSame(Buffer.from(proof, 'base64url'), proofOf(random, session))
    },
  }
}

/** Compares two texts, or two values of bytes, in constant time. */
export function isSame(one: string | Buffer, other: string | Buffer): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
