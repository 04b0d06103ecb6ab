import type { JobRow } from '../tables.ts'
import type { JobValues } from './store.ts'

/** Facts about media while the platform has not named them. */
const unknownFacts = { track_title: null, artist: null, album: null, channel: null, published_on: null, chapters: null }

/** Values of a job that starts over. */
export const cleared = {
  message: '',
  error_code: null,
  finished_at: null,
  filesize_bytes: null,
  duration_ms: null,
  codec: null,
  bitrate_kbps: null,
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
  artifact: null,
  stem_ms: 0,
  interruptions: 0,
  refusals: 0,
  lease_until: null,
  last_used_at: null,
  reserved_bytes: 0,
  output_form: null,
} satisfies JobValues

/** A download as it is requested, with what is known of it. */
export type Requested = Pick<JobRow, 'id' | 'url' | 'platform' | 'media_key' | 'type' | 'quality'> & JobValues

/** The row of a new job. */
export const newRow = (requested: Requested, now: number): JobRow => ({
  video_title: null,
  video_meta_hover: null,
  ...unknownFacts,
  ...cleared,
  search_words: '',
  tags: null,
  tag_words: '',
  message: null,
  status: 'queued',
  name_template: null,
  pinned: 0,
  attempt: 1,
  created_at: now,
  queued_at: now,
  ...requested,
})
