import type { Grade } from './grader/score.ts'
import type { ScanState } from './ssl-labs/next-scan-step.ts'

/** Rows as they are stored. Timestamps are milliseconds since the epoch, lists and objects JSON text. */
export interface CertificateTables {
  uploaded_certificates: UploadedCertificateRow
  certificate_grades: GradeRow
  ssl_labs_scans: ScanRow
  ssl_labs_facts: SslLabsFactRow
}

/** A certificate with its key, or an authority without one. */
export interface UploadedCertificateRow {
  /** Never reused. */
  id: number
  name: string
  kind: 'certificate' | 'authority'
  /** PEM, the certificate itself first; empty once it was deleted. */
  chain: string
  /** PEM, sealed; empty for an authority, and once it was deleted. */
  key_sealed: string
  created_at: number
  changed_at: number
  /** The row stays, so that its id is never reused. */
  deleted_at: number | null
}

/** One grade of one host at one time; only ever added. */
export interface GradeRow {
  id: string
  site_id: number
  host: string
  source: 'local' | 'ssllabs'
  /** `mixed` when the addresses of a host have different ones (SSL Labs only). */
  grade: Grade | 'mixed'
  grade_trust_ignored: Grade | null
  /** Score parts; null for SSL Labs. */
  parts: string | null
  findings: string
  not_after: number | null
  checked_at: number
}

/** Scans of one host. */
export interface ScanRow {
  host: string
  site_id: number
  state: ScanState
  /** True if a new assessment was requested, rather than a stored one. */
  is_fresh: number
  requested_at: number
  /** Time of the first request to SSL Labs; null while the scan waits. */
  started_at: number | null
  /** Time when a new assessment was last started; null before the first. */
  last_fresh_at: number | null
  finished_at: number | null
  grade: string | null
  message: string | null
}

export interface SslLabsFactRow {
  name: string
  value: string
}

/** Every table of this folder. */
export const certificateTableNames = [
  'uploaded_certificates',
  'certificate_grades',
  'ssl_labs_scans',
  'ssl_labs_facts',
] as const satisfies readonly (keyof CertificateTables)[]
