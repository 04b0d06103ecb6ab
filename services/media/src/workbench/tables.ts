/** What a person did in the workbench of a job. */
export interface WorkbenchSessionRow {
  job_id: string
  /** Counts the changes. */
  revision: number
  /** Parts, cue points and settings, JSON. */
  content: string
  updated_at: number
}
