/** Tables of what went to make room. */
export interface SpaceTables {
  evictions: EvictionRow
}

/** Files of a job that went to make room. */
export interface EvictionRow {
  id: string
  evicted_at: number
  job_id: string
  title: string
  /** All files of a job, or what can be made again. */
  kind: 'download' | 'copies'
  bytes: number
  reason: string
}
