import { createDecipheriv, createHash, createHmac, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto'

/** Bytes of a handshake initiation; no other message of WireGuard has as many. */
export const initiationLength = 148

const initiationType = 1
const keyLength = 32
const tagLength = 16
const timestampLength = 12

const pkcs8Head = Buffer.from('302e020100300506032b656e04220420', 'hex')
const spkiHead = Buffer.from('302a300506032b656e032100', 'hex')

const hash = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((sum, part) => sum.update(part), createHash('blake2s256')).digest()
const mac = (key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((sum, part) => sum.update(part), createHmac('blake2s256', key)).digest()

const construction = hash(Buffer.from('Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s'))
const protocol = hash(construction, Buffer.from('WireGuard v1 zx2c4 Jason@zx2c4.com'))

/**
 * Returns a function that reads who begins a handshake with the device that has this private key (base64): it takes the message,
 * the payload of a UDP datagram, and returns the public key of the sender (base64), or undefined for a message that is none or
 * that was not made by the holder of that key. A preshared key plays no part in this first message. See sections 5.4.1 and 5.4.2
 * of the WireGuard paper.
 */
export function createInitiatorReader(privateKey: string): (message: Buffer) => string | undefined {
  const own = createPrivateKey({
    key: Buffer.concat([pkcs8Head, Buffer.from(privateKey, 'base64')]),
    format: 'der',
    type: 'pkcs8',
  })
  const ownPublic = createPublicKey(own).export({ type: 'spki', format: 'der' }).subarray(-keyLength)
  const start = hash(protocol, ownPublic)

  const sharedWith = (key: Uint8Array): Buffer =>
    diffieHellman({
      privateKey: own,
      publicKey: createPublicKey({ key: Buffer.concat([spkiHead, key]), format: 'der', type: 'spki' }),
    })

  return (message) => {
    if (message.length !== initiationLength || message.readUInt32LE(0) !== initiationType) return undefined
    const { ephemeral, sealedKey, sealedTime } = partsOf(message)
    try {
      const afterEphemeral = hash(start, ephemeral)
      const first = derive(derive(construction, ephemeral).chain, sharedWith(ephemeral))
      const sender = open(first.key, sealedKey, afterEphemeral)
      // Only the holder of the sender's private key can seal the time.
      const second = derive(first.chain, sharedWith(sender))
      open(second.key, sealedTime, hash(afterEphemeral, sealedKey))
      return sender.toString('base64')
    } catch {
      return undefined
    }
  }
}

function partsOf(message: Buffer) {
  const keyAt = 8 + keyLength
  const timeAt = keyAt + keyLength + tagLength
  return {
    ephemeral: message.subarray(8, keyAt),
    sealedKey: message.subarray(keyAt, timeAt),
    sealedTime: message.subarray(timeAt, timeAt + timestampLength + tagLength),
  }
}

/** The next chaining key and an encryption key: HKDF with two outputs. */
function derive(chain: Uint8Array, input: Uint8Array): { chain: Buffer; key: Buffer } {
  const secret = mac(chain, input)
  const next = mac(secret, Buffer.of(1))
  return { chain: next, key: mac(secret, next, Buffer.of(2)) }
}

/** Opens what was sealed with the counter 0. Throws when it was changed or sealed with another key. */
function open(key: Buffer, sealed: Buffer, additional: Buffer): Buffer {
  const cipher = createDecipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: tagLength })
  cipher.setAAD(additional, { plaintextLength: sealed.length - tagLength })
  cipher.setAuthTag(sealed.subarray(-tagLength))
  return Buffer.concat([cipher.update(sealed.subarray(0, -tagLength)), cipher.final()])
}
