import type { SignInMethod } from '@hearth/accounts'

/** Level of a sign-in that nobody can be tricked out of: OpenID Connect Extended Authentication Profile, section 4. */
export const phishingResistant = 'phr'

/**
 * Returns the methods of RFC 8176 by which a user signed in. A passkey may be in hardware or not, which nobody proves here, so it
 * is a possession that was proved.
 */
export function amrOf(method: SignInMethod | null): string[] | undefined {
  if (method === 'passkey') return ['pop', 'user']
  if (method === 'password') return ['pwd']
  if (method === 'recovery_code') return ['otp']
  return undefined
}

/** Returns the level of a sign-in; undefined when there is none to claim. */
export const acrOf = (method: SignInMethod | null): string | undefined =>
  method === 'passkey' ? phishingResistant : undefined
