import { createToken, hashToken, isToken } from '@hearth/credentials'

const prefix = 'hvnode'

/** A join token in its parts: the secret that the service knows by its hash, and the authority that the node must find there. */
export interface JoinToken {
  readonly secret: string
  /** SHA-256 of the authority's certificate, hex. */
  readonly fingerprint: string
}

/** Creates a join token for the authority with this fingerprint. */
export function createJoinToken(fingerprint: string): { readonly text: string; readonly hash: string } {
  const secret = createToken(prefix)
  return { text: `${secret}.${fingerprint}`, hash: hashToken(secret) }
}

/** Parses a join token; undefined for other text, such as one that was not copied whole. */
export function parseJoinToken(text: string): JoinToken | undefined {
  const [secret = '', fingerprint = '', ...rest] = text.trim().split('.')
  const isWhole = isToken(secret, prefix) && /^[0-9a-f]{64}$/.test(fingerprint) && rest.length === 0
  return isWhole ? { secret, fingerprint } : undefined
}
