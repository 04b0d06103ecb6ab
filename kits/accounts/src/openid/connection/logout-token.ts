import { createPublicKey, verify, type JsonWebKeyInput } from 'node:crypto'
import { z } from 'zod'

const Head = z.looseObject({ alg: z.literal('RS256'), kid: z.string().max(255) })
const event = 'http://schemas.openid.net/event/backchannel-logout'
const Claims = z.looseObject({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  iat: z.number(),
  exp: z.number(),
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

/** Seconds by which clocks may differ, and for which a token is good at most. */
const tolerance = 60
const maxAge = 600

/**
 * Reads a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6), and returns the name of the session that ended.
 * Undefined for a token that is not the portal's, not for this service, or too old.
 */
export function readLogoutToken(token: string, { keys }: KeySet, expected: ExpectedLogout): string | undefined {
  const [head = '', body = '', signature = '', ...rest] = token.split('.')
  const { data: found } = Head.safeParse(decode(head))
  const key = keys.find(({ kid }) => kid === found?.kid)
  if (found === undefined || key === undefined || rest.length > 0) return undefined
  const isSigned = isSignedBy(key, `${head}.${body}`, signature)
  const { data: claims } = Claims.safeParse(decode(body))
  if (!isSigned || claims === undefined || claims.iss !== expected.issuer) return undefined
  const seconds = expected.now / 1000
  const isTimely = claims.exp > seconds - tolerance && claims.iat < seconds + tolerance && claims.iat > seconds - maxAge
  return isTimely && [claims.aud].flat().includes(expected.clientId) ? claims.sid : undefined
}

function isSignedBy(key: JsonWebKeyInput['key'], text: string, signature: string): boolean {
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' })
    return verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}
