import type { GroupColor } from './schema.ts'

/** Tables of groups and rules. */
export interface AccessTables {
  access_groups: AccessGroupRow
  access_group_peers: AccessGroupPeerRow
  access_rules: AccessRuleRow
  access_closed: AccessClosedRow
}

/** Their names, those that others refer to first. */
export const accessTableNames = ['access_groups', 'access_group_peers', 'access_rules', 'access_closed'] as const

/** A group of peers. */
export interface AccessGroupRow {
  id: string
  name: string
  /** The name as it is compared: case folded. */
  name_key: string
  color: GroupColor
  /** JSON; peers with one of these tags are in the group. */
  tags: string
  created_at: number
}

/** A peer that was put into a group by hand. */
export interface AccessGroupPeerRow {
  group_id: string
  peer_id: string
}

/** A rule about what peers reach. The kind says which of the columns after it holds a value. */
export interface AccessRuleRow {
  id: string
  /** Rules are in the order of their positions, which may have gaps. */
  position: number
  from_kind: 'everybody' | 'group' | 'peer'
  from_group: string | null
  from_peer: string | null
  to_kind: 'everybody' | 'group' | 'peer' | 'network' | 'internet' | 'gateway'
  to_group: string | null
  to_peer: string | null
  /** CIDR form. */
  to_network: string | null
  protocol: 'any' | 'tcp' | 'udp' | 'icmp'
  /** JSON, see `PortRange`. */
  ports: string
  action: 'allow' | 'deny'
  enabled: number
  note: string
  created_at: number
  /** User name. */
  created_by: string | null
}

/** An interface that denies what no rule matches. */
export interface AccessClosedRow {
  interface: string
}
