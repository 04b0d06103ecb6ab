/** What becomes of one site of an import; `new` in a dry run alone. */
export type ImportedStatus = 'new' | 'created' | 'failed' | 'conflicting' | 'invalid'

/** One site an import found. */
export interface ImportedSite {
  path: string
  site_name: string
  renamed_from: string | null
  domains: string[]
  kind: string
  enabled: boolean
  status: ImportedStatus
  site_id: number | null
  problems: { field: string; message: string }[]
}

/** What is done with a part that cannot be taken over as it is. */
export type ReportOutcome = 'changed' | 'lost' | 'left_out' | 'raw'

/** One such part. */
export interface ReportItem {
  path: string
  what: string
  outcome: ReportOutcome
  site: string | null
}

/** The answer to `POST /api/caddy/import/…`. */
export interface ImportAnswer {
  dry_run: boolean
  counts: { found: number; created: number; new: number; failed: number; conflicting: number; invalid: number }
  sites: ImportedSite[]
  report: ReportItem[]
  acme_email: string | null
}
