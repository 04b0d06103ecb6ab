import type { Job } from '../jobs/schema.ts'

/** Tables of the library's index. */
export interface LibraryTables {
  library_items: LibraryItemRow
  library_tags: LibraryTagRow
}

/** A finished job with a file, as the library finds it. Triggers write it. */
export interface LibraryItemRow {
  /** Grows with the time at which the job was added; the key of its words and tags. */
  number: number
  job_id: string
  type: Job['type']
  platform: Job['platform']
  /** In lower case, to sort by. */
  title: string
  bpm: number | null
  musical_key: number | null
  duration_ms: number | null
}

/** A tag of a job in the library. */
export interface LibraryTagRow {
  tag: string
  number: number
}
