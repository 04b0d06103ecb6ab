import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { pinnedLookup, type OutboundPolicy } from '@hearth/outbound'
import { Agent, fetch as fetchBy } from 'undici'

/** A fetch for the stem service, with connections of its own. */
export interface StemFetch {
  readonly fetch: typeof fetch
  /** Ends every connection. */
  close(): Promise<void>
}

/**
 * Reaches the service where the operator put it, wherever that is, and everything else, such as the places its results come
 * from, only at addresses the policy allows; the checked address is the one that is connected to.
 */
export function createStemFetch(policy: OutboundPolicy, baseUrl: string): StemFetch {
  const own = new URL(baseUrl).hostname
  const lookup: LookupFunction = (host, options, done) => {
    if (host === own) return systemLookup(host, options, done)
    policy.resolve(host, 443).then(
      (destination) => pinnedLookup(destination)(host, options, done),
      (error: NodeJS.ErrnoException) => done(error, ''),
    )
  }
  const agent = new Agent({ connect: { lookup, timeout: 10_000 } as object })
  const guarded = (input: never, init: object) => fetchBy(input, { ...init, dispatcher: agent })
  return { fetch: guarded as never, close: () => agent.destroy() }
}
