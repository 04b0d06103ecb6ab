import type { ArtifactKind } from './artifact-kind.ts'

/** Tables of the stored files. */
export interface ArtifactTables {
  artifacts: ArtifactRow
  departing_artifacts: DepartingArtifactRow
  storage_totals: StorageTotalRow
}

/** A stored file of a job. Several jobs have the same file when folder and name are the same. */
export interface ArtifactRow {
  job_id: string
  name: string
  /** Folder in the storage; the job's own unless the file came from another job. */
  folder_id: string
  kind: ArtifactKind
  bytes: number
  /** SHA-256, hex; null for a file that is not compared. */
  content_hash: string | null
  /** 0 while it is on its way into the storage. */
  is_stored: number
  put_at: number
}

/** A file in the storage that no job has any more. */
export interface DepartingArtifactRow {
  folder_id: string
  name: string
  left_at: number
}

/** Bytes and number of the stored files of a kind; a file of several jobs counts once. */
export interface StorageTotalRow {
  kind: ArtifactKind
  bytes: number
  files: number
}
