import type { SiteReach } from './reach-schema.ts'
import type { SiteKind } from './schema.ts'

/** Rows of the sites as they are stored. Moments are milliseconds since the epoch, switches 0 or 1. */
export interface SiteTables {
  sites: SiteRow
  site_domains: SiteDomainRow
  site_versions: SiteVersionRow
  site_states: SiteStateRow
}

/** A site as it is wanted. */
export interface SiteRow {
  id: number
  name: string
  /** The name as it is compared: case folded. */
  name_key: string
  kind: SiteKind
  enabled: number
  reach: SiteReach
  /** All domains, with blanks between them, for the search. */
  domains: string
  /** JSON of `SiteRecord`. */
  record: string
  /** JSON of `SiteExtras`: what is not shown. */
  extras: string
  revision: number
  created_at: number
  updated_at: number
}

/** Owner of a domain. */
export interface SiteDomainRow {
  domain: string
  site_id: number
}

/** A site as it was wanted at some time; of removed sites too. */
export interface SiteVersionRow {
  site_id: number
  revision: number
  name: string
  record: string
  extras: string
  created_at: number
  author: string
}

/** State of a site at one node. */
export interface SiteStateRow {
  site_id: number
  node_id: number
  /** Revision that it runs; null for none. */
  applied_revision: number | null
  /** Revision that Caddy refused; it is not tried again with every change of another site. */
  refused_revision: number | null
  /** Its message when it did. */
  error: string | null
}
