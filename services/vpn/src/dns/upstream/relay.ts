import type { Upstream } from '../process/resolver-files.ts'
import { HttpsRelay } from './https-relay.ts'
import { StreamRelay } from './stream-relay.ts'

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

/** How relays are made. */
export interface RelayOptions {
  /** Trusted in place of the usual certificate authorities; PEM. For tests: an installation uses `NODE_EXTRA_CA_CERTS`. */
  readonly ca?: string | undefined
}

/** A way to this upstream that is not UDP: TCP for `udp` and `tcp`. Connects when it is asked, and again as often as needed. */
export function createRelay(upstream: Upstream, options: RelayOptions = {}): Relay {
  return upstream.protocol === 'https' ? new HttpsRelay(upstream, options) : new StreamRelay(upstream, options)
}
