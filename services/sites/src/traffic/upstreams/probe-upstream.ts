import { lookup } from 'node:dns'
import { connect, type LookupFunction, type NetConnectOpts } from 'node:net'
import { isMetadataAddress } from '../../metadata-address.ts'

/** Result of a connection attempt: whether something listens, and after how many milliseconds. */
export type UpstreamProbe =
  | { readonly kind: 'up'; readonly latencyMs: number }
  | { readonly kind: 'down'; readonly reason: string }
  /** Not connected, because the address is not allowed. */
  | { readonly kind: 'refused' }

class Refused extends Error {}

/**
 * Opens a connection to `HOST:PORT`, `[ADDRESS]:PORT` or `unix/PATH`, says nothing and closes it. Never rejects.
 *
 * @param timeoutMs for finding the name and connecting together
 */
export function probeUpstream(address: string, timeoutMs: number): Promise<UpstreamProbe> {
  const target = targetOf(address)
  if (target === undefined) return Promise.resolve({ kind: 'down', reason: 'this is no address' })
  if (target === 'refused') return Promise.resolve({ kind: 'refused' })
  return new Promise((resolve) => {
    const begun = performance.now()
    const socket = connect(target)
    const end = (outcome: UpstreamProbe) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(outcome)
    }
    const timer = setTimeout(() => end({ kind: 'down', reason: 'no answer in time' }), timeoutMs)
    socket.on('connect', () => end({ kind: 'up', latencyMs: Math.round((performance.now() - begun) * 10) / 10 }))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end(
        error instanceof Refused ? { kind: 'refused' } : { kind: 'down', reason: error.code ?? 'the connection broke' },
      ),
    )
  })
}

function targetOf(address: string): NetConnectOpts | 'refused' | undefined {
  if (address.startsWith('unix/')) return { path: address.slice('unix/'.length) }
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(address)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || port < 1 || port > 65_535) return undefined
  return isMetadataAddress(host) ? 'refused' : { host, port, lookup: guardedLookup }
}

/** A name may resolve to anything; its addresses are checked before connecting. */
const guardedLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    const isBad = error === null && found.some(({ address }) => isMetadataAddress(address))
    if (error !== null || isBad) done(error ?? new Refused('not asked'), '', 4)
    else if (options.all === true) done(null, found)
    else done(null, found[0]?.address ?? '', found[0]?.family)
  })
}
