import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets, so that a copy of the database is useless without the key. */
export interface Sealer {
  /**
   * Seals a text for one place. `place` names table, column and row (`peers.private_key:ID`); a sealed text moved to another
   * place does not open.
   */
  seal(text: string, place: string): string
  /** Opens what `seal` made for the same place; throws when the key, the place or the text is another. */
  open(sealed: string, place: string): string
  /** A value that proves the key without revealing it; kept in the database to notice a wrong key at the start. */
  readonly keyCheck: string
}

const version = 'v1'

/**
 * AES-256-GCM with a 96-bit nonce for each text and the place as associated data. The nonce is random, or with `isRepeatable` it
 * follows from text and place, so that the same text at the same place is sealed to the same bytes: for files that are compared.
 *
 * @param key 32 bytes
 */
export function createSealer(key: Uint8Array, { isRepeatable = false } = {}): Sealer {
  const cipherKey = Buffer.from(hkdfSync('sha256', key, '', 'hearth sealed columns', 32))
  const nonceKey = Buffer.from(hkdfSync('sha256', key, '', 'hearth repeatable nonces', 32))
  const keyCheck = createHmac('sha256', key).update('hearth key check').digest('base64url')

  const nonceOf = (text: string, place: string): Buffer =>
    createHmac('sha256', nonceKey).update(`${place.length} ${place}${text}`).digest().subarray(0, 12)

  function seal(text: string, place: string): string {
    const nonce = isRepeatable ? nonceOf(text, place) : randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce)
    cipher.setAAD(Buffer.from(place))
    const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return [
      version,
      nonce.toString('base64url'),
      Buffer.concat([content, cipher.getAuthTag()]).toString('base64url'),
    ].join('.')
  }

  function open(sealed: string, place: string): string {
    const [found, nonce, content] = sealed.split('.')
    if (found !== version || nonce === undefined || content === undefined) throw new Error(`no sealed text at ${place}`)
    const bytes = Buffer.from(content, 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', cipherKey, Buffer.from(nonce, 'base64url'), { authTagLength: 16 })
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(bytes.subarray(-16))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8')
    } catch (cause) {
      throw new Error(`cannot open the sealed text at ${place}: another key or another place`, { cause })
    }
  }

  return { seal, open, keyCheck }
}
