import { connect } from 'node:net'
import type { Upstream } from '../resolver-files.ts'
import { StreamRelay, type Connector } from './stream-relay.ts'

/** A way to a server by a stream. */
export interface Relay {
  /**
   * Sends a query and returns its answer, with the query's id. Rejects with an error in words when none came within
   * `timeoutMs`, when the server is out of reach, or when its certificate is not its name's.
   */
  query(query: Uint8Array, timeoutMs: number): Promise<Uint8Array>
  /** Closes its connections; what is under way is rejected. */
  close(): void
}

/** Dependencies of relays. */
export interface RelayOptions {
  /** Trusted in place of the usual certificate authorities; PEM. For tests: an installation uses `NODE_EXTRA_CA_CERTS`. */
  readonly ca?: string | undefined
}

/**
 * A way to this upstream that is not UDP: TCP for `udp` and `tcp`. Connects when it is queried, and again as often as needed. What
 * speaks TLS is loaded for those that need it: without them a resolver starts a tenth sooner.
 */
export async function createRelay(upstream: Upstream, options: RelayOptions = {}): Promise<Relay> {
  if (upstream.protocol === 'https') {
    const { HttpsRelay } = await import('./https-relay.ts')
    return new HttpsRelay(upstream, options)
  }
  if (upstream.protocol !== 'tls') return new StreamRelay(plainConnector(upstream))
  const { TlsConnector } = await import('./tls-connector.ts')
  return new StreamRelay(new TlsConnector(upstream, options))
}

const plainConnector = ({ address = '', port }: Upstream): Connector => ({
  connect: () => connect({ host: address, port }),
  failed: () => undefined,
})
