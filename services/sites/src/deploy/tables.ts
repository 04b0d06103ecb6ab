/** Rows of what was applied. */
export interface ApplyTables {
  revisions: RevisionRow
  revision_sites: RevisionSiteRow
}

/** One change of the whole configuration. */
export interface RevisionRow {
  id: number
  created_at: number
  author: string
  /** Cause, such as `site.updated`. */
  cause: string
  outcome: 'applied' | 'partly' | 'failed'
  sha256: string
  site_count: number
  duration_ms: number
  /** JSON of what each node said. */
  nodes: string
  /** JSON of the options the sites were compiled with. */
  options: string
}

/** Change of one site by a revision. */
export interface RevisionSiteRow {
  revision_id: number
  site_id: number
  name: string
  /** Null for a site that was not there before. */
  before_revision: number | null
  /** Null for a site that is gone. */
  after_revision: number | null
}
