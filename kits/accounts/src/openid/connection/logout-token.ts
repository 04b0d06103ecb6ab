import { z } from 'zod'

const event = 'http://schemas.openid.net/event/backchannel-logout'
const Claims = z.looseObject({
  sid: z.string().min(1).max(255),
  events: z.looseObject({ [event]: z.looseObject({}) }),
  nonce: z.never().optional(),
})

/** The keys of the portal, as it publishes them. */
export const KeySet = z.looseObject({
  keys: z.array(z.looseObject({ kid: z.string(), kty: z.literal('RSA') })).max(20),
})
export type KeySet = z.infer<typeof KeySet>

/** What a token must match. */
export interface ExpectedLogout {
  readonly issuer: string
  readonly clientId: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Seconds by which clocks may differ, and age at which a token is too old, with that. */
const tolerance = 60
const maxAge = 600

/**
 * Reads a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6), and returns the name of the session that ended.
 * Undefined for a token that is not the portal's, not for this service, or too old.
 */
export async function readLogoutToken(
  token: string,
  keys: KeySet,
  { issuer, clientId, now }: ExpectedLogout,
): Promise<string | undefined> {
  const { createLocalJWKSet, jwtVerify } = await import('jose')
  try {
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience: clientId,
      algorithms: ['RS256'],
      requiredClaims: ['exp'],
      clockTolerance: tolerance,
      maxTokenAge: maxAge - tolerance,
      currentDate: new Date(now),
    })
    // Without the name of its key a token could only be of the one key that there happens to be.
    return protectedHeader.kid === undefined ? undefined : Claims.safeParse(payload).data?.sid
  } catch {
    // Whatever is wrong with the token or the keys.
    return undefined
  }
}
