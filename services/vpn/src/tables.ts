import type {
  OpenIdConnectionTables,
  OpenIdTables,
  PasskeyTables,
  RecoveryCodeTables,
  SecurityLogTables,
  SessionRow,
  TokenTables,
  UserRow as AccountUserRow,
} from '@hearth/accounts'
import { notificationTableNames, type NotificationTables } from '@hearth/notifications'
import { accessTableNames, type AccessTables } from './access-rules/tables.ts'
import { profileTableNames } from './filtering/profiles/tables.ts'
import type { FilteringTables } from './filtering/tables.ts'
import { hintTableNames, type HintTables } from './hints/tables.ts'
import type { BlockListFormat } from './lists/schema.ts'
import type { NameRequestTables } from './name-requests/tables.ts'
import { nodeTableNames, type NodeTables } from './nodes/tables.ts'
import type { RoutingMode } from './peers/schema.ts'
import type { PrivateDnsTables } from './private-dns/tables.ts'
import type { TokenPermissions } from './tokens/schema.ts'

/** Rows as they are stored. Times are milliseconds since the epoch, switches 0 or 1, lists JSON text. */
export interface Tables
  extends
    AccessTables,
    FilteringTables,
    NameRequestTables,
    HintTables,
    NodeTables,
    NotificationTables,
    PasskeyTables,
    PrivateDnsTables,
    RecoveryCodeTables,
    SecurityLogTables,
    OpenIdConnectionTables,
    OpenIdTables,
    TokenTables<TokenPermissions> {
  facts: FactRow
  settings: SettingRow
  users: UserRow
  sessions: SessionRow<'user_id'>
  interfaces: InterfaceRow
  peers: PeerRow
  peer_activity: PeerActivityRow
  peer_connections: PeerConnectionRow
  peer_quotas: PeerQuotaRow
  setup_links: SetupLinkRow
  lists: ListRow
  peer_traffic: PeerTrafficRow
  interface_traffic: InterfaceTrafficRow
  networks: NetworkRow
  place_traffic: PlaceTrafficRow
}

/** Things the service knows about its own database, such as which key seals it. */
export interface FactRow {
  name: string
  value: string
}

export interface SettingRow {
  name: string
  /** JSON. */
  value: string
}

/** An account as stored. */
export interface UserRow extends AccountUserRow {
  email: string
  /** PHC string. */
  password_hash: string
  last_login_ip: string | null
}

/** An interface as stored. */
export interface InterfaceRow {
  name: string
  address: string
  address6: string | null
  listen_port: number
  dns: string
  mtu: number
  nat: number
  forwarding: number
  enabled: number
  /** Sealed. */
  private_key: string
  public_key: string
  /** The host number after the address assigned last; keeps a freed address from being reused at once. */
  next_host: number
  created_at: number
  updated_at: number
  /** The node that runs it; null for this host. */
  node_id: string | null
  /** A node that runs it, too, for peers that do not reach its host; null for none. */
  standby_node_id: string | null
}

/** A peer as stored. */
export interface PeerRow {
  id: string
  name: string
  /** The name as it is compared: case folded. */
  name_key: string
  interface: string
  ip: string
  ip_number: number
  ipv6: string | null
  routing_mode: RoutingMode
  allowed_ips: string
  persistent_keepalive: number
  enabled: number
  expires_at: number | null
  client_isolation: number
  public_key: string
  /** Sealed; null when the key was made on the device. */
  private_key: string | null
  /** Sealed; null for none. */
  preshared_key: string | null
  created_at: number
  updated_at: number
  /** Stands for the peer in the resolver and its log, 1 to 2 ** 31 - 1; never given to another peer. */
  dns_number: number
  dns_filtering: number
  /** JSON, ids of the lists that hold for it; null for all. */
  dns_lists: string | null
  dns_logging: number
  /** JSON, as they are shown. */
  tags: string
  /** The tags as they are compared, each on its line. */
  tag_keys: string
  /** Bandwidth to the peer and from it, kbit/s; null without a limit. */
  limit_down: number | null
  limit_up: number | null
  /** JSON, networks behind it in canonical form; null for none. */
  networks: string | null
  /** Fingerprint of the networks of others in the configuration it was given last, see `site-networks`; null before the first. */
  given_routes: string | null
  /** Keys that replace the keys of the peer when the device uses them; null when none wait. Sealed like these. */
  next_public_key: string | null
  next_private_key: string | null
  next_preshared_key: string | null
  /** When they do so at the latest. */
  next_due: number | null
  /** Since when its interface is reached at another endpoint than its configuration says; null when it has that one. */
  endpoint_changed_at: number | null
  /** The same for the standby of its interface and the configuration for that. */
  standby_changed_at: number | null
}

/** Activity that a device reported for a peer, and the totals over all restarts of the device. */
export interface PeerActivityRow {
  peer_id: string
  last_handshake: number | null
  endpoint: string | null
  rx_total: number
  tx_total: number
  /** The device's own counters when the totals were last brought up to date. */
  rx_seen: number
  tx_seen: number
  /** Part of the totals that stands in `peer_traffic`; the rest belongs to a bucket that is still open. */
  rx_bucketed: number
  tx_bucketed: number
}

/** A time in which a peer was connected without a pause. Bytes are seen from the server. */
export interface PeerConnectionRow {
  peer_id: string
  began: number
  /** Null while it lasts. */
  ended: number | null
  /** Totals of the peer when it began. */
  rx_before: number
  tx_before: number
  /** While it lasts, as far as they were written. */
  rx_bytes: number
  tx_bytes: number
  /** JSON: `[address, received, sent]` of each, the last one used at the end; see `connections/connection.ts`. */
  addresses: string
  address_changes: number
}

/** The quota of a peer. */
export interface PeerQuotaRow {
  peer_id: string
  bytes: number
  counts: 'both' | 'down'
  period: 'month' | 'rolling'
  start_day: number
  at_limit: 'notify' | 'slow' | 'stop'
  /** kbit/s; null unless it slows down. */
  slow_to: number | null
  /** JSON, see `Marks`. */
  marks: string
  /** Percentage that was told of last: 0, 80 or 100. */
  told: number
}

/** A link that hands a device its configuration, once. */
export interface SetupLinkRow {
  id: string
  /** SHA-256 of the value, hex. */
  hash: string
  peer_id: string
  created_at: number
  /** User name. */
  created_by: string | null
  expires_at: number
  revoked_at: number | null
  used_at: number | null
  /** Address of the device that used it. */
  used_from: string | null
}

/** Traffic of one bucket of time. The same bytes stand in a fine bucket, an hour and a day. */
export interface TrafficBucketRow {
  /** Length of the bucket: 300, 3600 or 86400. */
  seconds: number
  /** Start of the bucket, a multiple of its length. */
  start: number
  rx_bytes: number
  tx_bytes: number
  /** Time the peer was connected; for an interface the sum of its peers. */
  active_ms: number
}

/** Traffic of a peer in one bucket of time. */
export interface PeerTrafficRow extends TrafficBucketRow {
  peer_id: string
}

/** Outlives its peers and the interface itself: what went through the server did. */
export interface InterfaceTrafficRow extends TrafficBucketRow {
  interface: string
}

/** A network of the internet whose number was seen, and who runs it. */
export interface NetworkRow {
  asn: number
  organization: string
}

/** A peer's bytes by where it connected from, or where its traffic went. */
export interface PlaceTrafficRow {
  source: 'endpoint' | 'destination'
  /** The hour; for what is older than a week, the day. */
  start: number
  peer_id: string
  /** ISO 3166-1 alpha-2; `ZZ` when no database knows. */
  country: string
  /** 0 when no database knows. */
  asn: number
  rx_bytes: number
  tx_bytes: number
}

/** A block list. Its text, when it was fetched once, lies in `DATA_DIR/dns/lists`. */
export interface ListRow {
  id: string
  /** 0 to 31: its bit in sets of lists, kept as long as it exists. */
  number: number
  name: string
  /** The name as it is compared: case folded. */
  name_key: string
  url: string
  format: BlockListFormat
  enabled: number
  /** Of the text, hex; null while there is none. */
  sha256: string | null
  entries: number
  /** Lines that mean nothing here: JSON, see `unsupportedOf`. */
  unsupported: string
  /** Time of the last change of the text. */
  last_updated: number | null
  /** Time of the last request to its server. */
  last_checked: number | null
  /** Reason why that failed; null when it did not. */
  last_error: string | null
  etag: string | null
  last_modified: string | null
  /** Lifetime that the list itself states. */
  expires_seconds: number | null
  created_at: number
}

/**
 * Every table that is backed up, those that others refer to first. Challenges live for two minutes; set-up links and
 * the join tokens of nodes are left out, because a restored one would work a second time.
 */
export const tableNames = [
  'facts',
  'settings',
  'users',
  'openid_identities',
  'openid_connection',
  'sessions',
  'openid_sessions',
  'tokens',
  'recovery_codes',
  'passkeys',
  'security_events',
  ...nodeTableNames,
  'interfaces',
  'peers',
  'peer_activity',
  'peer_connections',
  'peer_quotas',
  'peer_names',
  'peer_private_dns',
  ...accessTableNames,
  'dns_rules',
  'dns_records',
  'managed_dns_records',
  'dns_zones',
  'peer_filter_pauses',
  'name_requests',
  ...profileTableNames,
  'lists',
  'peer_traffic',
  'interface_traffic',
  'networks',
  'place_traffic',
  ...hintTableNames,
  ...notificationTableNames,
] as const
