/** Files that are made of parts of a job's sound, on request. */
export interface ExportRow {
  id: string
  job_id: string
  /** `removed` is one that nobody sees any more and whose files are being deleted. */
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'removed'
  /** Counts every handing out; a worker writes only under the number it was given. */
  attempt: number
  /** Number of workers that were lost with it. */
  interruptions: number
  /** Until when the worker that has it counts as alive; null when none has. */
  lease_until: number | null
  /** Parts and settings, JSON. */
  request: string
  /** Percent. */
  progress: number
  message: string | null
  /** Files that were made, JSON; null before the end. */
  files: string | null
  /** 1 from before the first file is stored until all are deleted again. */
  has_files: number
  /** Bytes that it will still store; they count while it runs. */
  reserved_bytes: number
  created_at: number
  finished_at: number | null
}
