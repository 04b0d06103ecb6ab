import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@hearth/runtime'
import type { ProofMethod } from './tables.ts'
import type { Role } from './schema.ts'

/** A session as far as it was found to be good: whose it is, and when that was proved last. */
export interface ProvenSession {
  readonly userId: string
  readonly username: string
  readonly role: Role
  readonly passwordChangeRequired: boolean
  /** Milliseconds since the epoch. */
  readonly provedAt: number
  readonly provedBy: ProofMethod
}

/** The keys of visitors who are not signed in yet. Nothing is stored of them; they are worth nothing but a CSRF token. */
export interface VisitorKeys {
  create(): string
  isValid(key: string): boolean
}

/** Time a visitor has to sign in, milliseconds. */
const visitFor = 86_400_000

/**
 * Keys that carry the moment they were made at and a proof that they were made here: `v.MOMENT.RANDOM.PROOF`.
 *
 * @param secret the service's key
 */
export function createVisitorKeys(secret: Uint8Array, clock: Clock): VisitorKeys {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'hearth sites visitors', 32))
  const proofOf = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  return {
    create() {
      const text = `v.${clock.now().toString(36)}.${randomBytes(32).toString('base64url')}`
      return `${text}.${proofOf(text)}`
    },
    isValid(given) {
      const match = /^(v\.([0-9a-z]{1,11})\.[\w-]{43})\.([\w-]{43})$/.exec(given)
      if (match === null) return false
      const [, text = '', moment = '', proof = ''] = match
      const age = clock.now() - Number.parseInt(moment, 36)
      return timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(text))) && age >= -60_000 && age < visitFor
    },
  }
}
