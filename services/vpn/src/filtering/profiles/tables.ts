/** Tables of profiles. */
export interface ProfileTables {
  dns_profiles: DnsProfileRow
  dns_profile_targets: DnsProfileTargetRow
}

/** Their names, those that others refer to first. */
export const profileTableNames = ['dns_profiles', 'dns_profile_targets'] as const

/** A profile. */
export interface DnsProfileRow {
  id: string
  /** Stands for the profile in the resolver: 1 to 255. */
  number: number
  name: string
  /** The name as it is compared: case folded. */
  name_key: string
  /** JSON, ids of the lists that hold; null for all. */
  lists: string | null
  /** JSON, see `ProfileRule`. */
  rules: string
  /** JSON, ids of services that are off. */
  services: string
  /** Null for that of the settings. */
  block_mode: 'zero_ip' | 'nxdomain' | 'refused' | null
  /** 1: search engines answer with their filter on. */
  safe_search: number
  /** Restricted mode of YouTube; null for none. */
  youtube: 'moderate' | 'strict' | null
  /** JSON, see `Schedule`; null when it always holds. */
  schedule: string | null
  /** Minutes for which a device may pause its filter itself, each time; 0 for never. */
  self_pause_minutes: number
  /** Milliseconds since the epoch; 0 for not paused. */
  paused_until: number
  created_at: number
  /** User name. */
  created_by: string | null
}

/** What a profile is assigned to: one of the three is there. Nothing has two profiles. */
export interface DnsProfileTargetRow {
  id: string
  profile_id: string
  peer_id: string | null
  group_id: string | null
  interface: string | null
}
