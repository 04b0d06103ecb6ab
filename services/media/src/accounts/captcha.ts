import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '@hearth/runtime'
import { isSame } from './csrf.ts'

/** Minimum and maximum age of a token: no person is faster, and no page lives longer; milliseconds. */
const minAge = 1000
const maxAge = 6 * 3_600_000

/** Maximum number of used tokens kept; more than can be used within their lifetime at the allowed rate. */
const maxRemembered = 50_000

/** Anti-bot tokens of the sign-in page: each carries the time of the page and can be used once. */
export type Captcha = ReturnType<typeof createCaptcha>

/** Creates the captcha; tokens are signed with the secret. */
export function createCaptcha(secret: Uint8Array, clock: Clock) {
  const used = new Map<string, number>()
  const proofOf = (text: string) => createHmac('sha256', secret).update(`captcha ${text}`).digest()

  function forget(now: number): void {
    for (const [nonce, until] of used) {
      if (until > now && used.size < maxRemembered) return
      used.delete(nonce)
    }
  }

  return {
    create(): string {
      const text = `1.${clock.now()}.${randomBytes(12).toString('base64url')}`
      return `${text}.${proofOf(text).toString('base64url')}`
    },
    /** Redeems a token; false when it is forged, too new, too old or used. */
    redeem(token: string): boolean {
      const end = token.lastIndexOf('.')
      const text = token.slice(0, Math.max(0, end))
      if (!isSame(Buffer.from(token.slice(end + 1), 'base64url'), proofOf(text))) return false
      const [, timestamp = '', nonce = ''] = text.split('.')
      const now = clock.now()
      const age = now - Number(timestamp)
      if (age < minAge || age > maxAge || used.has(nonce)) return false
      forget(now)
      used.set(nonce, now + maxAge)
      return true
    },
  }
}
