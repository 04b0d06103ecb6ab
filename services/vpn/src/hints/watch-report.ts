import type { TunnelFinding } from './tunnelling.ts'

/** What was noticed in the queries of the last moments, on its way from the resolver to the service. */
export interface WatchReport {
  /** End of the time, milliseconds since the epoch. */
  readonly at: number
  readonly tunnels: readonly NumberedTunnel[]
  readonly blocked: readonly ListBlocks[]
}

/** Names that look like a tunnel. */
export interface NumberedTunnel {
  /** The peer's number in the query log. */
  readonly client: number
  readonly domain: string
  readonly finding: TunnelFinding
}

/** What a list blocked. */
export interface ListBlocks {
  /** Its number in the query log. */
  readonly list: number
  readonly count: number
  /** Some of the names. */
  readonly names: readonly { readonly name: string; readonly client: number; readonly count: number }[]
}
