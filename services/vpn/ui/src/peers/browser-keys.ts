/** A WireGuard key pair in base64. The private key is a secret that only this page knows. */
export interface KeyPair {
  readonly privateKey: string
  readonly publicKey: string
}

/** Says why this browser cannot make keys here; undefined when it can. */
export function keysObstacle(isSecure: boolean, subtle: SubtleCrypto | undefined): string | undefined {
  if (!isSecure || subtle === undefined)
    return 'Browsers make keys on pages with https or at localhost only. Open this page so, or let the service make the keys.'
  return undefined
}

/** Makes an X25519 key pair (RFC 7748) with the browser's own cryptography. Throws when it knows no X25519. */
export async function makeKeyPair(subtle: SubtleCrypto): Promise<KeyPair> {
  try {
    const pair = await subtle.generateKey({ name: 'X25519' }, true, ['deriveBits'])
    const { d, x } = await subtle.exportKey('jwk', pair.privateKey)
    return { privateKey: toBase64(d ?? ''), publicKey: toBase64(x ?? '') }
  } catch (error) {
    const message = 'This browser cannot make X25519 keys. Use a newer one, or let the service make the keys.'
    throw new Error(message, { cause: error })
  }
}

/** Base64 of 32 bytes, as WireGuard writes it, from the form without padding that browsers export. */
const toBase64 = (text: string): string => `${text.replaceAll('-', '+').replaceAll('_', '/')}=`

/** Puts the private key into a configuration that lacks it. */
export function withPrivateKey(configuration: string, privateKey: string): string {
  return configuration.replace(/^# PrivateKey = .*$/m, `PrivateKey = ${privateKey}`)
}
