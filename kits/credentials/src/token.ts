import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 38
const checksumLength = 6

/**
 * A new API token: `prefix_`, 38 random letters and digits (226 bits) and 6 of checksum, so that a scanner for leaked secrets
 * can tell it from other text. Only its hash is kept; the value cannot be shown again.
 *
 * @param prefix two to six lower-case letters that name the service
 */
export function createToken(prefix: string): string {
  const secret = randomText(secretLength)
  return `${prefix}_${secret}${checksum(secret)}`
}

/** True when the text has the form and checksum of a token of this service. Nothing is looked up. */
export function isToken(text: string, prefix: string): boolean {
  if (!text.startsWith(`${prefix}_`)) return false
  const rest = text.slice(prefix.length + 1)
  if (rest.length !== secretLength + checksumLength || !/^[A-Za-z0-9]+$/.test(rest)) return false
  return checksum(rest.slice(0, secretLength)) === rest.slice(secretLength)
}

/**
 * Hashes a token or a session key for the database: SHA-256 in hex. Both are long and random, so a slow hash adds
 * nothing, and looking the hash up in an index tells an attacker nothing about the value.
 */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** 256 random bits for a session cookie, as 43 characters that need no quoting. */
export function createSessionKey(): string {
  return randomBytes(32).toString('base64url')
}

/** A password for a first sign-in: 20 letters and digits without the pairs people mix up, in groups of five. */
export function createPassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  const characters = Array.from(randomBytes(20), (byte) => letters[byte % letters.length])
  return [0, 5, 10, 15].map((start) => characters.slice(start, start + 5).join('')).join('-')
}

function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

function checksum(secret: string): string {
  let rest = crc32(secret)
  let text = ''
  for (let index = 0; index < checksumLength; index += 1) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
