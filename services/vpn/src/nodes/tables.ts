/** Tables of nodes. */
export interface NodeTables {
  node_authority: NodeAuthorityRow
  nodes: NodeRow
  node_join_tokens: NodeJoinTokenRow
}

/** The certificate authority that knows nodes, and the certificate of this service for them, PEM. There is one row, with id 1. */
export interface NodeAuthorityRow {
  id: number
  certificate: string
  /** Sealed. */
  private_key: string
  server_certificate: string
  /** Sealed. */
  server_key: string
  created_at: number
}

/** A node as stored. Members that say null are not known before the node joins. */
export interface NodeRow {
  id: string
  name: string
  /** The name as it is compared: case folded. */
  name_key: string
  created_at: number
  /** User name; null for the command line. */
  created_by: string | null
  /** SHA-256 of its certificate, hex. */
  fingerprint: string | null
  joined_at: number | null
  last_seen_at: number | null
  /** Address that its last report came from. */
  address: string | null
  /** Version of Hearth that it runs. */
  version: string | null
  /** Host name or address of it in the configurations of peers; null for the address of its last report. */
  endpoint: string | null
  /** The last batch of traffic that was counted, and the count that its number belongs to. */
  traffic_count: string | null
  traffic_number: number | null
  /** JSON: the interfaces of its last report, see `node-statuses.ts`; null while it has not spoken of any. */
  reported: string | null
  /** JSON: its resolver by its last report, a `NodeDnsReport`; null while it has not spoken of one. */
  reported_dns: string | null
  /** Networks that it reaches, JSON; null when it said nothing of them. */
  reported_networks: string | null
}

/** The token with which a node may join, once. */
export interface NodeJoinTokenRow {
  node_id: string
  /** SHA-256 of the value, hex. */
  hash: string
  created_at: number
  expires_at: number
}

/** Tables of nodes that are backed up, in order. */
export const nodeTableNames = ['node_authority', 'nodes'] as const
