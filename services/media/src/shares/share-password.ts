import { createHmac } from 'node:crypto'
import { backOff, createThrottle, slidingWindow } from '@hearth/accounts'
import { isSameSecret, verifyPassword } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import { addressGroup } from '@hearth/http'
import type { ShareLinkRow } from '../tables.ts'

/** Name of the cookie of a visitor who knew the password; it is sent to the page of one link only. */
export const unlockCookie = 'share'

/** Time for which the password is not asked for again, seconds. */
export const unlockSeconds = 43_200

/** The third wrong password of a client costs a second, each further one doubles that, up to a minute. */
const clientDelay = backOff(3, 60)
/** Wrong passwords for one link in ten minutes, of all clients together. */
const linkLimit = slidingWindow(50, 600)
/** Passwords that are checked at a time: each takes 19 MiB of memory. */
const maxChecks = 8

type Locked = Pick<ShareLinkRow, 'token_hash' | 'password_hash'>

/** Result of a password that somebody entered. */
export type Attempt =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly seconds: number }

/** Checks passwords of links, and remembers in a cookie who knew one. */
export type SharePasswords = ReturnType<typeof createSharePasswords>

/**
 * Creates the check of passwords. A cookie is good for one link and its present password, until it ends; nothing is stored.
 *
 * @param key 32 bytes, equal in all processes of one database
 */
export function createSharePasswords(key: Uint8Array, clock: Clock) {
  const byClient = createThrottle(clientDelay, clock)
  const byLink = createThrottle(linkLimit, clock)
  let checks = 0
  const sign = ({ token_hash, password_hash }: Locked, end: string) =>
    createHmac('sha256', key).update(`${token_hash}\n${password_hash}\n${end}`).digest('base64url')

  async function verify(link: Locked, password: string): Promise<boolean> {
    checks += 1
    try {
      return await verifyPassword(password, link.password_hash)
    } finally {
      checks -= 1
    }
  }

  return {
    async attempt(link: Locked, password: string, address: string): Promise<Attempt> {
      if (checks >= maxChecks) return { kind: 'wait', seconds: 1 }
      const client = `${link.token_hash} ${addressGroup(address)}`
      // Only a password that is checked counts.
      const seconds = Math.max(byClient.waitOf(client), byLink.waitOf(link.token_hash))
      if (seconds > 0) return { kind: 'wait', seconds }
      byClient.attempt(client)
      byLink.attempt(link.token_hash)
      if (!(await verify(link, password))) return { kind: 'wrong' }
      byClient.succeed(client)
      byLink.succeed(link.token_hash)
      return { kind: 'right' }
    },
    /** Returns the value of the cookie for a visitor who knew the password. */
    unlock(link: Locked): string {
      const end = String(clock.now() + unlockSeconds * 1000)
      return `${end}.${sign(link, end)}`
    },
    /** Returns true if the link has no password, or the cookie is of somebody who knew it. */
    isUnlocked(link: Locked, cookie: string | undefined): boolean {
      if (link.password_hash === null) return true
      const [, end = '', signature = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
      return Number(end) > clock.now() && isSameSecret(signature, sign(link, end))
    },
  }
}
