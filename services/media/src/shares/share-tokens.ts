import { createHash, createHmac, randomBytes } from 'node:crypto'
import { hashToken } from '@hearth/credentials'
import { addressGroup } from '@hearth/http'

/** 48 bits: 8 characters that need no quoting in an address. */
const tokenBytes = 6
const tokenLength = 8

/** Makes the tokens of links and what is stored in their place. */
export interface ShareTokens {
  create(): string
  /** What is stored in place of a token, in hex. */
  hash(token: string): string
  /** What is stored in place of a client of a link, in hex; one client is one IPv4 address or one IPv6 network. */
  clientHash(token: string, address: string): string
}

/**
 * A token is short enough for all of them to be tried against a copy of the database, so what is stored depends on a key
 * outside it. The tokens of earlier versions have 22 characters; they keep the plain hash they were stored with.
 *
 * @param key 32 bytes
 */
export function createShareTokens(key: Uint8Array): ShareTokens {
  const digest = (token: string, text: string) =>
    (token.length === tokenLength ? createHmac('sha256', key) : createHash('sha256')).update(text).digest('hex')
  return {
    create: () => randomBytes(tokenBytes).toString('base64url'),
    hash: (token) => (token.length === tokenLength ? digest(token, token) : hashToken(token)),
    clientHash: (token, address) => digest(token, `${token}\n${addressGroup(address)}`),
  }
}
