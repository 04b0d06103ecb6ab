import type { LeftOut } from '../foreign-files/given-file.ts'

/** Programs whose servers can be taken over. `wg-quick` stands for every plain configuration file, PiVPN's too. */
export const serverSources = ['wg-easy', 'wgdashboard', 'wg-quick'] as const
export type ServerSource = (typeof serverSources)[number]

/** A WireGuard server as another program described it. Its keys are secrets. */
export interface FoundServer {
  readonly source: ServerSource
  /** Its network interface, such as `wg0`. */
  readonly name: string
  readonly privateKey: string
  /** Its addresses in the tunnel with their prefixes. */
  readonly addresses: readonly string[]
  readonly listenPort: number | undefined
  readonly mtu: number | undefined
  /** Resolvers that its devices ask; undefined when nothing says which. */
  readonly dns: readonly string[] | undefined
  readonly enabled: boolean
  readonly peers: readonly FoundPeer[]
}

/** A peer of such a server. */
export interface FoundPeer {
  /** Undefined when nothing names it. */
  readonly name: string | undefined
  readonly publicKey: string
  /** A secret; null when only the device has it. */
  readonly privateKey: string | null
  /** A secret; null for none. */
  readonly presharedKey: string | null
  /** Addresses and networks that the server accepts from it. */
  readonly addresses: readonly string[]
  /** Networks that the device sends through the tunnel; undefined when nothing says which. */
  readonly routed: readonly string[] | undefined
  /** Seconds; undefined when nothing says how many. */
  readonly keepalive: number | undefined
  readonly enabled: boolean
  /** ISO 8601; null for never. */
  readonly expiresAt: string | null
}

/** What the files of another program hold. */
export interface FoundServers {
  readonly servers: readonly FoundServer[]
  readonly leftOut: readonly LeftOut[]
}
