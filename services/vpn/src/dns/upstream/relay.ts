import { connect } from 'node:net'
import type { Upstream } from '../process/resolver-files.ts'
import { StreamRelay, type Door } from './stream-relay.ts'

/** A way to a server by a stream. */
export interface Relay {
  /**
   * Sends a query and returns its answer, with the query's id. Rejects with an error in words when none came within
   * `timeoutMs`, when the server is out of reach, or when its certificate is not its name's.
   */
  ask(query: Uint8Array, timeoutMs: number): Promise<Uint8Array>
  /** Closes its connections; what is under way is rejected. */
  close(): void
}

/** Dependencies of relays. */
export interface RelayOptions {
  /** Trusted in place of the usual certificate authorities; PEM. For tests: an installation uses `NODE_EXTRA_CA_CERTS`. */
  readonly ca?: string | undefined
}

/**
 * A way to this upstream that is not UDP: TCP for `udp` and `tcp`. Connects when it is asked, and again as often as needed. What
 * speaks TLS is loaded for those that need it: without them a resolver starts a tenth sooner.
 */
export async function createRelay(upstream: Upstream, options: RelayOptions = {}): Promise<Relay> {
  if (upstream.protocol === 'https') {
    const { HttpsRelay } = await import('./https-relay.ts')
    return new HttpsRelay(upstream, options)
  }
  if (upstream.protocol !== 'tls') return new StreamRelay(plainDoor(upstream))
  const { TlsDoor } = await import('./tls-door.ts')
  return new StreamRelay(new TlsDoor(upstream, options))
}

const plainDoor = ({ address = '', port }: Upstream): Door => ({
  connect: () => connect({ host: address, port }),
  failed: () => undefined,
})
