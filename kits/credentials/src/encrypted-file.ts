import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, type CipherGCM, type DecipherGCM } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'

/** Encrypts and decrypts a file's content as a stream. */
export interface FileCipher {
  /** Nonce, AES-256-GCM, tag. `bound` is text outside the content that must not change either. */
  encrypt(bound: string): Transform
  /** Decrypts; the stream fails at its end when the content, `bound` or the key is not the original one. */
  decrypt(bound: string): Transform
}

const nonceLength = 12
const tagLength = 16

/** @param key 32 bytes */
export function createFileCipher(key: Uint8Array): FileCipher {
  const fileKey = Buffer.from(hkdfSync('sha256', key, '', 'hearth files', 32))
  return {
    encrypt: (bound) => new Encryption(fileKey, bound),
    decrypt: (bound) => new Decryption(fileKey, bound),
  }
}

class Encryption extends Transform {
  readonly #cipher: CipherGCM

  constructor(key: Uint8Array, bound: string) {
    super()
    const nonce = randomBytes(nonceLength)
    this.#cipher = createCipheriv('aes-256-gcm', key, nonce)
    this.#cipher.setAAD(Buffer.from(bound))
    this.push(nonce)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    done(null, this.#cipher.update(chunk))
  }

  override _flush(done: TransformCallback): void {
    this.push(this.#cipher.final())
    done(null, this.#cipher.getAuthTag())
  }
}

class Decryption extends Transform {
  readonly #key: Uint8Array
  readonly #bound: string
  #decipher: DecipherGCM | undefined
  /** Bytes held back: the nonce at first, then the bytes that may be the tag. */
  #held: Buffer = Buffer.alloc(0)

  constructor(key: Uint8Array, bound: string) {
    super()
    this.#key = key
    this.#bound = bound
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#held = Buffer.concat([this.#held, chunk])
    if (this.#decipher === undefined && this.#held.length >= nonceLength) this.#begin()
    const ready = this.#held.length - tagLength
    if (this.#decipher === undefined || ready <= 0) {
      done()
      return
    }
    const content = this.#decipher.update(this.#held.subarray(0, ready))
    this.#held = this.#held.subarray(ready)
    done(null, content)
  }

  override _flush(done: TransformCallback): void {
    if (this.#decipher === undefined || this.#held.length !== tagLength) {
      done(new Error('the file is cut short'))
      return
    }
    try {
      this.#decipher.setAuthTag(this.#held)
      done(null, this.#decipher.final())
    } catch (cause) {
      done(new Error('the file was changed, or made with another key', { cause }))
    }
  }

  #begin(): void {
    this.#decipher = createDecipheriv('aes-256-gcm', this.#key, this.#held.subarray(0, nonceLength), {
      authTagLength: tagLength,
    })
    this.#decipher.setAAD(Buffer.from(this.#bound))
    this.#held = this.#held.subarray(nonceLength)
  }
}
