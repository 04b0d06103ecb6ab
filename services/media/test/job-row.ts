import { randomUUID } from 'node:crypto'
import { migrate, openDatabase, type Database, type DatabaseLocation } from '@hearth/database'
import { migrations } from '../src/database/migrations/index.ts'
import { searchWords } from '../src/jobs/search-words.ts'
import type { ExportRow } from '../src/exports/tables.ts'
import type { JobRow, Tables } from '../src/tables.ts'

/** A finished sound, with what a test wants different. */
export function finishedJob(more: Partial<JobRow> = {}): JobRow {
  return {
    id: randomUUID(),
    url: 'https://www.youtube.com/watch?v=aaaaaaaaaaa',
    platform: 'youtube',
    media_key: 'youtube:aaaaaaaaaaa',
    type: 'audio',
    quality: 'max',
    status: 'analysis_done',
    attempt: 1,
    interruptions: 0,
    refusals: 0,
    lease_until: null,
    video_title: null,
    video_meta_hover: null,
    track_title: null,
    artist: null,
    album: null,
    channel: null,
    published_on: null,
    chapters: null,
    name_template: null,
    search_words: searchWords([more.video_title, more.artist, more.album, more.channel].join(' ')).join(' '),
    tags: null,
    tag_words: '',
    message: null,
    error_code: null,
    created_at: 1000,
    queued_at: 1000,
    finished_at: 2000,
    filesize_bytes: 1000,
    duration_ms: 60_000,
    codec: 'aac',
    bitrate_kbps: 96,
    bpm: null,
    bpm_confidence: null,
    bpm_alternative: null,
    musical_key: null,
    key_confidence: null,
    loudness_lufs: null,
    loudness_range_lu: null,
    true_peak_dbtp: null,
    silence_start_ms: null,
    silence_end_ms: null,
    analyser_version: null,
    analysis_wanted_at: null,
    analysis_lease_until: null,
    audio_hash: null,
    artifact: 'source.m4a',
    stem_ms: 0,
    pinned: 0,
    last_used_at: 2000,
    reserved_bytes: 0,
    output_form: null,
    ...more,
  }
}

/** A row of an export that waits. */
export const newExport = (more: Partial<ExportRow> & Pick<ExportRow, 'job_id'>): ExportRow => ({
  id: randomUUID(),
  status: 'queued',
  attempt: 0,
  interruptions: 0,
  lease_until: null,
  request: JSON.stringify({ parts: [{ name: '', start: 1, end: 2, fade_in: 0, fade_out: 0, loop: null }] }),
  progress: 0,
  message: null,
  files: null,
  has_files: 0,
  reserved_bytes: 0,
  created_at: 1000,
  finished_at: null,
  ...more,
})

/** A new database with the service's tables. */
export async function openTables(location: DatabaseLocation): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(location)
  await migrate(database.query, migrations)
  return database
}
