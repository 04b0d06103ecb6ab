import { createHash, createHmac, randomBytes } from 'node:crypto'
import { hashToken } from '@hearth/credentials'
import { addressGroup } from '@hearth/http'

/** 48 bits: 8 characters that need no quoting in an address. */
const tokenBytes = 6
const tokenLength = 8

/** Tokens of links, and the hashes that are stored in their place. */
export type ShareTokens = ReturnType<typeof createShareTokens>

/**
 * A token is short enough for all of them to be tried against a copy of the database, so what is stored depends on a key
 * outside it. The tokens of earlier versions have 22 characters; they keep the plain hash they were stored with.
 *
 * @param key 32 bytes
 */
export function createShareTokens(key: Uint8Array) {
  const digest = (token: string, text: string) =>
    (token.length === tokenLength ? createHmac('sha256', key) : createHash('sha256')).update(text).digest('hex')
  return {
    create: (): string => randomBytes(tokenBytes).toString('base64url'),
    /** Returns the hash that is stored in place of a token, hex. */
    hash: (token: string): string => (token.length === tokenLength ? digest(token, token) : hashToken(token)),
    /** Returns the hash that is stored in place of a client, hex; one client is an IPv4 address or an IPv6 network. */
    clientHash: (token: string, address: string): string => digest(token, `${token}\n${addressGroup(address)}`),
  }
}
