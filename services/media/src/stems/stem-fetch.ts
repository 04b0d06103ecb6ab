import type { LookupFunction } from 'node:net'
import {
  allowAddresses,
  createOutboundPolicy,
  pinnedLookup,
  type OutboundAllow,
  type PolicyOptions,
} from '@hearth/outbound'
import type { Agent, fetch as Fetch } from 'undici'
import { defaultStemBaseUrl } from './result-address.ts'

/** The base address of the stem service and what else the operator allows. */
interface StemFetchOptions extends PolicyOptions {
  readonly baseUrl: string
  readonly allow: OutboundAllow
}

/**
 * Creates a fetch with its own connections, until `close`. It reaches the service where the operator put it, wherever that is, and everything else, such as the places its results come
 * from, only at addresses the guard allows; the checked address is the one that is connected to.
 */
export function createStemFetch({ baseUrl, allow, ...options }: StemFetchOptions) {
  const own = new URL(baseUrl)
  const set = baseUrl === defaultStemBaseUrl ? undefined : baseUrl
  const policy = createOutboundPolicy(allowAddresses(allow, [set]), options)
  const portOf = (host: string) => (host === own.hostname ? Number(own.port) || usualPort(own) : 443)
  const lookup: LookupFunction = (host, lookupOptions, done) => {
    policy.resolve(host, portOf(host)).then(
      (destination) => pinnedLookup(destination)(host, lookupOptions, done),
      (error: NodeJS.ErrnoException) => done(error, ''),
    )
  }
  let connections: Promise<{ agent: Agent; fetchBy: typeof Fetch }> | undefined
  const connect = async () => {
    // Loaded with the first request: most starts need none.
    const { Agent, fetch: fetchBy } = await import('undici')
    return { agent: new Agent({ connect: { lookup, timeout: 10_000 } as object }), fetchBy }
  }
  const guarded = async (input: never, init: object) => {
    const { agent, fetchBy } = await (connections ??= connect())
    return fetchBy(input, { ...init, dispatcher: agent })
  }
  return { fetch: guarded as unknown as typeof fetch, close: async () => (await connections)?.agent.destroy() }
}

const usualPort = ({ protocol }: URL): number => (protocol === 'https:' ? 443 : 80)
