import { notificationTableNames, type NotificationTables } from '@hearth/notifications'
import type { AccountTables } from './accounts/tables.ts'
import type { ArtifactTables } from './artifacts/tables.ts'
import type { ExportRow } from './exports/tables.ts'
import type { Job } from './jobs/schema.ts'
import type { LibraryTables } from './library/tables.ts'
import type { BlockReason } from './platforms/schema.ts'
import type { FileRow } from './settings/tables.ts'
import type { SpaceTables } from './space/tables.ts'
import type { WorkbenchSessionRow } from './workbench/tables.ts'

/** Rows as they are stored. Timestamps are milliseconds since the epoch, switches 0 or 1. */
export interface Tables extends ArtifactTables, LibraryTables, SpaceTables, NotificationTables, AccountTables {
  facts: NamedRow
  settings: NamedRow
  jobs: JobRow
  share_links: ShareLinkRow
  share_files: ShareFileRow
  share_uses: ShareUseRow
  share_fetches: ShareFetchRow
  feeds: FeedRow
  collections: CollectionRow
  collection_jobs: CollectionJobRow
  stem_splits: StemSplitRow
  workbench_sessions: WorkbenchSessionRow
  exports: ExportRow
  cookie_jars: CookieJarRow
  platform_pauses: PlatformPauseRow
  job_failures: JobFailureRow
  followed_lists: FollowedListRow
  list_media: ListMediaRow
  intake_items: IntakeItemRow
  platform_paces: PlatformPaceRow
  files: FileRow
}

/** A fact about the database itself, or a setting as JSON. */
export interface NamedRow {
  name: string
  value: string
}

/** One download: its request, status and result. Members without an entry here are those that the API shows. */
export interface JobRow extends Omit<
  Job,
  | 'created_at'
  | 'finished_at'
  | 'duration_seconds'
  | 'filename'
  | 'key'
  | 'key_camelot'
  | 'silence_start_seconds'
  | 'silence_end_seconds'
  | 'analysis_pending'
  | 'chapter_count'
  | 'tags'
  | 'pinned'
> {
  /** Equal for every address of the same media. */
  media_key: string
  /** Counts every handing out; a worker writes only under the number it was given. */
  attempt: number
  /** Number of times in a row that a worker was lost with it. */
  interruptions: number
  /** Until when the worker that has it counts as alive; null when none has. */
  lease_until: number | null
  /** Number of times in a row that its platform refused this server. */
  refusals: number
  created_at: number
  /** Time at which it entered the queue; the queue is served in this order. */
  queued_at: number
  finished_at: number | null
  duration_ms: number | null
  bpm_alternative: number | null
  /** Place on the Camelot wheel: 0 for 1A, 1 for 1B, to 23 for 12B. */
  musical_key: number | null
  silence_start_ms: number | null
  silence_end_ms: number | null
  /** Version of the analyser that found the values; null for none, or one from before versions. */
  analyser_version: number | null
  /** Time at which another analysis was requested; null when none waits or runs. */
  analysis_wanted_at: number | null
  /** Until when the worker that analyses it again counts as alive; null when none does. */
  analysis_lease_until: number | null
  /** Name of the piece, where the platform tells it from the title of the video. */
  track_title: string | null
  /** Chapters of the media, JSON. */
  chapters: string | null
  /** Tags, JSON; null for none. */
  tags: string | null
  /** Words by which the library finds it: of titles, artist, album and channel, and of its tags; see `searchWords`. */
  search_words: string
  tag_words: string
  /** Template of the file's name; null for a job from before there were templates. */
  name_template: string | null
  /** Name of the stored file, as `source.m4a`. */
  artifact: string | null
  /** Milliseconds of audio that were split into stems. */
  stem_ms: number
  /** 1 when its files never go to make room. */
  pinned: number
  /** Time of the last download, play or fetch by a link; an hour late at most. */
  last_used_at: number | null
  /** Bytes that a running job will store. */
  reserved_bytes: number
  /** Way in which its file was made; a job of the same medium takes a file that was made in the same way. Null for unknown. */
  output_form: string | null
}

/** A share link to the files of one or several jobs. */
export interface ShareLinkRow {
  token_hash: string
  /** Sealed, so that the link can be shown again. */
  token_sealed: string
  /** The first file. */
  job_id: string
  /** Title of its page; null for that of its file. */
  name: string | null
  /** PHC string; null for a link without a password. */
  password_hash: string | null
  max_uses: number
  uses: number
  created_at: number
  expires_at: number | null
  /** 1 for a link by the settings alone, which is given again to whoever asks for one. */
  is_reusable: number
  last_fetched_at: number | null
}

/** A further file of a share link, at a position from 2 on. */
export interface ShareFileRow {
  token_hash: string
  position: number
  job_id: string
}

/** A file that a client began to fetch by a link. */
export interface ShareFetchRow {
  id: string
  token_hash: string
  job_id: string
  /** Shortened address of the client. */
  network: string
  /** Tells clients apart while a use lasts; null afterwards. */
  client_hash: string | null
  fetched_at: number
}

/** A client that redeemed a link lately: a resumed download is the same use. */
export interface ShareUseRow {
  token_hash: string
  client_hash: string
  used_at: number
}

/** A feed of the finished sounds. */
export interface FeedRow {
  id: string
  name: string
  token_hash: string
  /** Sealed, so that the address can be shown again. */
  token_sealed: string
  created_at: number
}

/** A collection of jobs. */
export interface CollectionRow {
  id: string
  name: string
  created_at: number
}

/** A job in a collection. */
export interface CollectionJobRow {
  collection_id: string
  job_id: string
  /** Place in the order of adding. */
  position: number
}

/** A separation that is running or done. */
export interface StemSplitRow {
  job_id: string
  /** Empty for the whole, otherwise the trim. */
  variant: string
  status: 'running' | 'done' | 'failed'
  /** State of the separation, so that it continues after a crash without a second payment, JSON. */
  record: string
  lease_until: number | null
  duration_ms: number
  updated_at: number
}

/** The cookies of one platform. */
export interface CookieJarRow {
  platform: string
  content_sealed: string
  updated_at: number
}

/** A platform that refuses this server: its jobs wait. */
export interface PlatformPauseRow {
  platform: Job['platform']
  /** Code of the failure that began it, or of the last probe. */
  reason: BlockReason
  began_at: number
  /** From then on one job is tried, the probe. */
  paused_until: number
  /** Refusals in a row: the first one, and those of the probes. */
  refusals: number
  /** The probe; it is under way while a worker has this attempt. */
  probe_job: string | null
  probe_attempt: number | null
}

/** What a tool said when a job failed last, without what nobody else should read. */
export interface JobFailureRow {
  job_id: string
  attempt: number
  failed_at: number
  code: string
  message: string
  /** Version of yt-dlp at that time. */
  tool_version: string | null
  exit_code: number | null
  output: string
}

/** A playlist or channel that is checked from time to time. */
export interface FollowedListRow {
  id: string
  /** Equal for every address of the same list. */
  list_key: string
  url: string
  platform: Job['platform']
  title: string | null
  type: Job['type']
  quality: Job['quality']
  every_minutes: number
  /** What was published before does not count; null without that filter. */
  newer_than: number | null
  min_seconds: number | null
  /** Words of which a title must have one, separated by commas. */
  title_has: string | null
  /** 1 when the first check takes what is there, too. */
  takes_present: number
  is_enabled: number
  /** 1 after the first check. */
  is_begun: number
  next_at: number
  /** Until when the process that checks it counts as alive. */
  lease_until: number | null
  /** Checks in a row that failed. */
  failures: number
  checked_at: number | null
  error_code: string | null
  message: string | null
  created_at: number
}

/** A medium of a followed list that was decided about. */
export interface ListMediaRow {
  list_id: string
  media_key: string
  seen_at: number
}

/** A medium that becomes a job when its platform and the queue have room. */
export interface IntakeItemRow {
  id: string
  /** The followed list that it comes from; null for one that a person chose. */
  list_id: string | null
  media_key: string
  url: string
  platform: Job['platform']
  type: Job['type']
  quality: Job['quality']
  title: string | null
  added_at: number
  position: number
}

/** Time from which the next medium of a list may be fetched from a platform. */
export interface PlatformPaceRow {
  platform: Job['platform']
  next_at: number
}

/** Every table that is backed up, referenced ones first. Challenges, pauses and paces are of the moment, and triggers write the library's. */
export const tableNames = [
  'facts',
  'settings',
  'jobs',
  'sessions',
  'openid_sessions',
  'tokens',
  'recovery_codes',
  'passkeys',
  'security_events',
  'openid_connection',
  'share_links',
  'share_files',
  'share_uses',
  'share_fetches',
  'feeds',
  'collections',
  'collection_jobs',
  'stem_splits',
  'workbench_sessions',
  'exports',
  'cookie_jars',
  'job_failures',
  'followed_lists',
  'list_media',
  'intake_items',
  'files',
  'artifacts',
  'departing_artifacts',
  'storage_totals',
  'evictions',
  ...notificationTableNames,
] as const satisfies readonly (keyof Tables)[]
