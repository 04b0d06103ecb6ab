import { createHash, createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'

/** Creates a key on the curve P-256, PEM. */
export function generateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' })
}

/** The public half of a key, with its members in the order of RFC 7638. */
function publicJwk(pem: string): { crv: string; kty: string; x: string; y: string } {
  const { crv = '', kty = '', x = '', y = '' } = createPublicKey(pem).export({ format: 'jwk' })
  return { crv, kty, x, y }
}

/** The value of the TXT record that proves a name (RFC 8555 section 8.4). */
export function txtValue(token: string, accountKey: string): string {
  const thumbprint = createHash('sha256')
    .update(JSON.stringify(publicJwk(accountKey)))
    .digest('base64url')
  return createHash('sha256').update(`${token}.${thumbprint}`).digest('base64url')
}

/** What a request is signed with. */
export interface Signer {
  /** PEM of a key on P-256. */
  readonly key: string
  /** Address of the account; undefined only for the request that creates it. */
  readonly account: string | undefined
}

/** Signs a request to an authority (RFC 8555 section 6.2). An undefined payload asks for a resource. */
export function signedBody(
  { key, account }: Signer,
  { url, nonce }: { readonly url: string; readonly nonce: string },
  payload: object | undefined,
): string {
  const who = account === undefined ? { jwk: publicJwk(key) } : { kid: account }
  const head = encode(JSON.stringify({ alg: 'ES256', ...who, nonce, url }))
  const body = payload === undefined ? '' : encode(JSON.stringify(payload))
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), {
    key: createPrivateKey(key),
    dsaEncoding: 'ieee-p1363',
  })
  return JSON.stringify({ protected: head, payload: body, signature: signature.toString('base64url') })
}

/** The account of a customer at an authority. */
export interface ExternalAccount {
  readonly keyId: string
  /** HMAC key in base64url. */
  readonly key: string
}

/** Proves to an authority that the holder of an external account wants the account of a key (RFC 8555 section 7.3.4). */
export function accountBinding(accountKey: string, url: string, { keyId, key }: ExternalAccount) {
  const head = encode(JSON.stringify({ alg: 'HS256', kid: keyId, url }))
  const body = encode(JSON.stringify(publicJwk(accountKey)))
  const signature = createHmac('sha256', Buffer.from(key, 'base64url')).update(`${head}.${body}`).digest('base64url')
  return { protected: head, payload: body, signature }
}

const encode = (text: string): string => Buffer.from(text).toString('base64url')
