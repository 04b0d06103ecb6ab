import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** Argon2id as OWASP recommends it for servers: 19 MiB, two passes, one lane; about 30 ms of one core. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

/** Argon2id for keys of files, which may be tried elsewhere for years: the second choice of RFC 9106, with one lane. */
const keyCost = { memory: 65_536, passes: 3, parallelism: 1, tagLength: 32 }

/**
 * Makes passwords and passphrases of this process cheap, for tests that use them often. A stored hash contains its cost, so
 * earlier hashes still match; the key of a passphrase is another one than in a process that never called this.
 */
export function useCheapPasswords(): void {
  const cheap = { memory: 8, passes: 1 }
  Object.assign(cost, cheap)
  Object.assign(keyCost, cheap)
}

/** Makes a key of 32 bytes from a passphrase; the same salt, 16 bytes or more, gives the same key. */
export function keyOfPassphrase(passphrase: string, salt: Uint8Array): Promise<Uint8Array> {
  return derive('argon2id', { message: normalise(passphrase), nonce: salt, ...keyCost })
}

/** Turns a password into a PHC string (`$argon2id$v=19$m=…,t=…,p=…$salt$hash`) to store in its place. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive('argon2id', { message: normalise(password), nonce: salt, ...cost })
  return phcString(salt, hash)
}

/**
 * Checks whether the password is the one behind the PHC string. An invalid string never matches. Without a string, for an
 * unknown user or one without a password, it takes as long and fails, so that sign-in does not reveal which names exist.
 */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored ?? impossiblePassword())
  if (match === null) return false
  const [memory, passes, parallelism] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const nonce = Buffer.from(match[4] ?? '', 'base64')
  const expected = Buffer.from(match[5] ?? '', 'base64')
  const hash = await derive('argon2id', {
    message: normalise(password),
    nonce,
    memory,
    passes,
    parallelism,
    tagLength: expected.length,
  })
  return timingSafeEqual(hash, expected)
}

/** Returns a hash that no password matches. */
function impossiblePassword(): string {
  return phcString(randomBytes(16), randomBytes(cost.tagLength))
}

function phcString(salt: Uint8Array, hash: Uint8Array): string {
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${phcBase64(salt)}$${phcBase64(hash)}`
}

/** The same password typed on another keyboard must give the same bytes. */
function normalise(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'))
}

function phcBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
