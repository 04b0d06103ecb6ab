import type { RecordChoice } from './schema.ts'

/** Tables of the link with a Hearth VPN. */
export interface VpnLinkTables {
  vpn_link: VpnLinkRow
}

/** The link with a Hearth VPN, and the networks that count as inside. There is one row at most. */
export interface VpnLinkRow {
  /** Always 1. */
  id: number
  /** Name under which this service keeps records in the VPN. */
  manager: string
  /** Null while no VPN is linked. */
  address: string | null
  token_sealed: string | null
  records: RecordChoice
  /** JSON list of addresses at which devices inside reach Caddy. */
  inside_addresses: string
  /** JSON list of networks. */
  home_networks: string
  /** JSON list of `Tunnel`: as the VPN said last. */
  tunnels: string
  /** Null until the VPN said so. */
  tunnels_at: number | null
}

/** Every table of this folder. */
export const vpnLinkTableNames = ['vpn_link'] as const satisfies readonly (keyof VpnLinkTables)[]
