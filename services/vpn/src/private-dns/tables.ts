/** Tables of DNS for devices outside the tunnels. */
export interface PrivateDnsTables {
  peer_private_dns: PrivateDnsRow
}

/** The secret by which a device outside the tunnel is known in DNS. */
export interface PrivateDnsRow {
  peer_id: string
  /** SHA-256 of the secret, hex. */
  hash: string
  created_at: number
  /** User name. */
  created_by: string | null
}
