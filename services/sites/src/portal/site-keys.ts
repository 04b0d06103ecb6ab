import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { createSealer, isSameSecret } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'

/** The cookie of a visitor at a protected site, and the one that ties a sign-in to the browser in which it began. */
export const siteCookie = '__Host-hearth_site'
export const stateCookie = '__Host-hearth_state'

/** Makes and reads keys of site cookies. */
export type SiteKeys = ReturnType<typeof createSiteKeys>

/**
 * Creates the keys of site cookies: the id of a session of the portal, sealed for one site under one host. A key that one site gets
 * to see is worth nothing at another, and does not tell the id.
 *
 * @param secret the service's key
 */
export function createSiteKeys(secret: Uint8Array) {
  const sealer = createSealer(Buffer.from(hkdfSync('sha256', secret, '', 'hearth sites portal cookies', 32)))
  const readOld = createOldReader(secret)
  const placeOf = (siteId: number, host: string) => `${siteId}\n${host}`
  return {
    create: (sessionId: string, siteId: number, host: string): string => sealer.seal(sessionId, placeOf(siteId, host)),
    /** Returns the id of the session; undefined for a key of another site or host. */
    read(given: string, siteId: number, host: string): string | undefined {
      if (!/^v1\.[\w-]{16}\.[\w-]{22,110}$/.test(given)) return readOld(given, siteId, host)
      try {
        return sealer.open(given, placeOf(siteId, host))
      } catch {
        return undefined
      }
    },
  }
}

/** Reads cookies that were set before an upgrade to sealed ones: the id of the session in clear, and a proof. */
function createOldReader(secret: Uint8Array) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'hearth sites portal', 32))
  const proofOf = (sessionId: string, siteId: number, host: string) =>
    createHmac('sha256', key).update(`${sessionId}\n${siteId}\n${host}`).digest('base64url')
  return (given: string, siteId: number, host: string): string | undefined => {
    const [, sessionId, proof] = /^([\w-]{1,64})\.([\w-]{43})$/.exec(given) ?? []
    if (sessionId === undefined || proof === undefined) return undefined
    return isSameSecret(proof, proofOf(sessionId, siteId, host)) ? sessionId : undefined
  }
}

/** What a hand-over code stands for. */
export interface HandOver {
  readonly sessionId: string
  readonly siteId: number
  /** Host and port. */
  readonly authority: string
  /** Hash of the cookie in the browser that asked. */
  readonly state: string
  /** Path and query where the visitor goes then. */
  readonly target: string
}

/** Time in which a code is used, milliseconds, and how many may be under way. */
const codeLifetime = 60_000
const maxCodes = 10_000

/** Single-use codes that carry a sign-in from the portal to a site. */
export type HandOverCodes = ReturnType<typeof createHandOverCodes>

/** Creates the codes. Only their hashes are kept, in memory; when too many wait, the oldest are lost. */
export function createHandOverCodes(clock: Clock) {
  const waiting = new Map<string, { readonly handOver: HandOver; readonly endsAt: number }>()
  return {
    create(handOver: HandOver): string {
      for (const [hash, { endsAt }] of waiting) {
        if (endsAt > clock.monotonic() && waiting.size < maxCodes) break
        waiting.delete(hash)
      }
      const code = randomBytes(32).toString('base64url')
      waiting.set(hashOf(code), { handOver, endsAt: clock.monotonic() + codeLifetime })
      return code
    },
    /** Returns what a code stands for, once. */
    take(code: string): HandOver | undefined {
      const hash = hashOf(code)
      const found = waiting.get(hash)
      waiting.delete(hash)
      return found !== undefined && found.endsAt > clock.monotonic() ? found.handOver : undefined
    },
  }
}

/** SHA-256 in base64url. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
