import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@hearth/runtime'

/** Keys of visitors who are not signed in yet. None is stored; a key only serves for a CSRF token. */
export type VisitorKeys = ReturnType<typeof createVisitorKeys>

/** Time a visitor has to sign in, milliseconds. */
const visitFor = 86_400_000

/**
 * Creates keys that carry the time they were made at and a proof that they were made here: `v.TIME.RANDOM.PROOF`.
 *
 * @param secret the service's key
 */
export function createVisitorKeys(secret: Uint8Array, clock: Clock) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'hearth sites visitors', 32))
  const proofOf = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return {
    create(): string {
      const text = `v.${clock.now().toString(36)}.${randomBytes(32).toString('base64url')}`
      return `${text}.${proofOf(text)}`
    },
    isValid(given: string): boolean {
      const match = /^(v\.([0-9a-z]{1,11})\.[\w-]{43})\.([\w-]{43})$/.exec(given)
      if (match === null) return false
      const [, text = '', time = '', proof = ''] = match
      const age = clock.now() - Number.parseInt(time, 36)
      return timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(text))) && age >= -60_000 && age < visitFor
    },
  }
}
