/** Tables of groups of users, and of tokens for protected sites. */
export interface PortalTables {
  access_groups: AccessGroupRow
  access_group_members: AccessGroupMemberRow
  portal_tokens: PortalTokenRow
}

/** A group of users. */
export interface AccessGroupRow {
  name: string
  /** Milliseconds since the epoch. */
  created_at: number
}

/** A user in a group. */
export interface AccessGroupMemberRow {
  group_name: string
  user_id: string
}

/** A token with which a program visits one site as a user. */
export interface PortalTokenRow {
  id: string
  /** SHA-256. */
  token_hash: string
  user_id: string
  site_id: number
  name: string
  created_at: number
  /** Null for never. */
  expires_at: number | null
}

/** Tables that are backed up, those that others refer to first. */
export const portalTableNames = ['access_groups', 'access_group_members', 'portal_tokens'] as const
