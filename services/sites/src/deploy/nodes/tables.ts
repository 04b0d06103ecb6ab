/** Rows of the Caddy servers. */
export interface NodeTables {
  nodes: NodeRow
  node_configs: NodeConfigRow
}

/** One Caddy. */
export interface NodeRow {
  id: number
  name: string
  /** As `unix//path` or `http://host:port`; null for the Caddy this service runs itself. */
  admin: string | null
  http_port: number
  https_port: number
  /** JSON list of addresses to listen at; empty for all. */
  bind: string
  /** Path of its access log, as this service reads it; null for none. */
  log_file: string | null
  /** Time at which the service took over; null before. */
  onboarded_at: number | null
  /** SHA-256 of what ran when the service took over. */
  baseline_sha: string | null
  /** SHA-256 of the last configuration of this service that ran. */
  expected_sha: string | null
  /** Sealed JSON as older versions stored it: set by a backup of one until the next change, otherwise null; see `NodeConfigRow`. */
  expected_config: string | null
  /** SHA-256 of the configuration that was about to be sent; null when its outcome is known. */
  announced_sha: string | null
  created_at: number
}

/** The last configuration of this service that a node ran. */
export interface NodeConfigRow {
  node_id: number
  /** Sealed JSON; see `ExpectedConfigs`. */
  config: string
}
