import type { ProfileTables } from './profiles/tables.ts'
import type { DnsRecordType } from './records/schema.ts'

/** Tables of names, rules, records and zones. */
export interface FilteringTables extends ProfileTables {
  peer_names: PeerNameRow
  dns_rules: DnsRuleRow
  dns_records: DnsRecordRow
  managed_dns_records: ManagedRecordRow
  dns_zones: DnsZoneRow
  peer_filter_pauses: PeerFilterPauseRow
}

/** A time in which nothing is blocked for a peer; see `filtering/pauses`. */
export interface PeerFilterPauseRow {
  peer_id: string
  /** Milliseconds since the epoch. */
  paused_until: number
}

/** The label by which a peer is found in DNS; see `filtering/peer-names`. */
export interface PeerNameRow {
  peer_id: string
  /** The label that its name makes. */
  base: string
  /** The same, or with a number when another peer had it first. */
  label: string
}

/** A rule of an operator; see `filtering/rules`. */
export interface DnsRuleRow {
  id: string
  /** Stands for the rule in the resolver and its log. */
  number: number
  action: 'block' | 'allow'
  /** Lower case, punycode, without a leading `*.`. */
  domain: string
  /** Only what is below the domain. */
  below_only: number
  /** Null for every client. */
  peer_id: string | null
  enabled: number
  created_at: number
  /** User name. */
  created_by: string | null
}

/** A local record; see `filtering/records`. */
export interface DnsRecordRow {
  id: string
  /** Lower case, punycode, without a leading `*.`. */
  domain: string
  /** The record of a wildcard, `*.domain`. */
  below_only: number
  type: DnsRecordType
  /** In its one form, see `record-value.ts`. */
  value: string
  /** Seconds. */
  ttl: number
  /** The address leads back to the name. */
  reverse: number
  created_at: number
  /** User name. */
  created_by: string | null
}

/** A zone with servers of its own; see `filtering/zones`. */
export interface DnsZoneRow {
  id: string
  /** A domain, lower case and punycode, or a network without host bits. */
  zone: string
  /** Upstream servers as operators write them: JSON, a list of one to four. */
  servers: string
  created_at: number
  /** User name. */
  created_by: string | null
}

/** A local record that another service keeps; see `filtering/managed-records`. */
export interface ManagedRecordRow {
  /** Name of the service that keeps it. */
  manager: string
  domain: string
  below_only: number
  type: 'A' | 'AAAA'
  value: string
  /** Seconds. */
  ttl: number
  created_at: number
}
