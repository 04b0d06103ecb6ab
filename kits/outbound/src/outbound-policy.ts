import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { normaliseHost } from './host-name.ts'
import type { OutboundAllow } from './outbound-allow.ts'
import { OutboundFailed, OutboundRefused } from './outbound-error.ts'
import { isPublicAddress } from './public-address.ts'

/** Finds the addresses of a name. Replaced in tests; the system's own is the default. */
export type Resolver = (host: string) => Promise<readonly string[]>

/** A destination that was checked. Whoever connects uses these addresses and never looks the name up again. */
export interface Destination {
  /** In the form of `normaliseHost`. */
  readonly host: string
  readonly port: number
  /** At least one; all of them may be connected to. */
  readonly addresses: readonly string[]
  /** True when the operator exempted it, by its name or all of its addresses. */
  readonly isExempt: boolean
}

/** Decides where connections may go. */
export interface OutboundPolicy {
  /**
   * Looks the host up once and checks every address. Throws `OutboundRefused` when one of them is not public, or the port is
   * not one of the policy's, and the operator did not exempt it; `OutboundFailed` (`unresolved`, `timeout`) when there is no
   * address; the signal's reason when it is aborted.
   */
  resolve(host: string, port: number, signal?: AbortSignal): Promise<Destination>
}

/** Parts of a policy that have a default. */
export interface PolicyOptions {
  readonly resolver?: Resolver
  /** Ports that need no exemption; 80 and 443 by default. */
  readonly ports?: readonly number[]
  /** Time limit of a look-up, milliseconds; 5000 by default. */
  readonly lookupMs?: number
}

/** Maximum number of addresses used for a connection. */
const mostAddresses = 16

/** The guard's rules, with what the operator exempts. */
export function createOutboundPolicy(allow: OutboundAllow, options: PolicyOptions = {}): OutboundPolicy {
  const { resolver = systemResolver, ports = [80, 443], lookupMs = 5000 } = options

  async function addressesOf(host: string, signal?: AbortSignal): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host]
    const answer = await withinTime(resolver(host), { host, lookupMs, signal })
    const addresses = answer.slice(0, mostAddresses)
    if (addresses.length === 0) throw new OutboundFailed('unresolved', host)
    return addresses
  }

  return {
    async resolve(text, port, signal) {
      signal?.throwIfAborted()
      const host = normaliseHost(text)
      if (host === undefined) throw new OutboundRefused('host', text, port)
      const isNamed = allow.hasHost(host, port)
      const isUsualPort = ports.includes(port)
      const isName = isIP(host) === 0
      if (isName && !isNamed && !isUsualPort && !allow.knowsAddresses) throw new OutboundRefused('port', host, port)
      const addresses = await addressesOf(host, signal)
      const isExempt = isNamed || addresses.every((address) => allow.hasAddress(address, port))
      const isFit = (address: string) => isPublicAddress(address) || allow.hasAddress(address, port)
      if (!isExempt && !addresses.every(isFit)) throw new OutboundRefused('address', host, port)
      if (!isExempt && !isUsualPort) throw new OutboundRefused('port', host, port)
      return { host, port, addresses, isExempt }
    },
  }
}

/** A lookup function for `net.connect` that returns the checked addresses. */
export function pinnedLookup({ addresses }: Destination): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, done) => {
    if (all === true) done(null, entries)
    else done(null, entries[0]?.address ?? '', entries[0]?.family)
  }
}

const systemResolver: Resolver = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** The system's lookup cannot be cancelled, so a late answer is dropped. */
async function withinTime(
  answer: Promise<readonly string[]>,
  { host, lookupMs, signal }: { host: string; lookupMs: number; signal: AbortSignal | undefined },
): Promise<readonly string[]> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new OutboundFailed('timeout', host)), lookupMs)
  const onAbort = () => reject(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const found = answer.catch((cause: unknown) => {
    throw new OutboundFailed('unresolved', host, { cause })
  })
  try {
    return await Promise.race([found, ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
