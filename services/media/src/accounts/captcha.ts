import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@hearth/runtime'

/** Faster than this fills in no person a form, and later than that the page is too old; milliseconds. */
const soonest = 1000
const latest = 6 * 3_600_000

/** Used tokens that are remembered at most; more than can be used within their life at the allowed rate. */
const mostRemembered = 50_000

/** The anti-bot token of the sign-in page: it says when the page was fetched, and is good once. */
export interface Captcha {
  create(): string
  /** Takes a token; false when it is not ours, too young, too old or used before. */
  redeem(token: string): boolean
}

export function createCaptcha(secret: Uint8Array, clock: Clock): Captcha {
  const used = new Map<string, number>()
  const proofOf = (text: string) => createHmac('sha256', secret).update(`captcha ${text}`).digest()

  function forget(now: number): void {
    for (const [nonce, until] of used) {
      if (until > now && used.size < mostRemembered) return
      used.delete(nonce)
    }
  }

  return {
    create() {
      const text = `1.${clock.now()}.${randomBytes(12).toString('base64url')}`
      return `${text}.${proofOf(text).toString('base64url')}`
    },
    redeem(token) {
      const end = token.lastIndexOf('.')
      const text = token.slice(0, Math.max(0, end))
      const given = Buffer.from(token.slice(end + 1), 'base64url')
      const expected = proofOf(text)
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
      const [, moment = '', nonce = ''] = text.split('.')
      const now = clock.now()
      const age = now - Number(moment)
      if (age < soonest || age > latest || used.has(nonce)) return false
      forget(now)
      used.set(nonce, now + latest)
      return true
    },
  }
}
