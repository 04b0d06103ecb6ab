/** Rows of the Caddy servers. */
export interface NodeTables {
  nodes: NodeRow
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
  /** Where it writes the access log, as this service reads it; null for nowhere. */
  log_file: string | null
  /** Whether what ran before was adopted or given up. */
  onboarded_at: number | null
  /** SHA-256 of what ran when the service took over. */
  baseline_sha: string | null
  /** What the service saw running last of its own making. */
  expected_sha: string | null
  /** Sealed JSON; see `ExpectedConfigs`. */
  expected_config: string | null
  /** What it was going to send when it was last heard of. */
  announced_sha: string | null
  created_at: number
}
