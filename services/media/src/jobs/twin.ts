import type { Kysely } from 'kysely'
import type { ArtifactLedger } from '../artifacts/ledger.ts'
import type { Settings } from '../settings/schema.ts'
import type { JobRow, Tables } from '../tables.ts'
import { findTwin, type JobValues } from './store.ts'
import type { JobHandle } from './workers.ts'

export interface TwinDependencies {
  readonly db: Kysely<Tables>
  readonly artifacts: Pick<ArtifactLedger, 'share'>
  readonly settings: () => Settings
  readonly timers: { now(): number }
}

/** Way in which files of a type are made under these settings; null when no two are alike, because a logo is laid over them. */
export function outputForm(
  type: JobRow['type'],
  { video_watermark, download_compatible_output }: Settings,
): string | null {
  if (type === 'audio') return 'plain'
  if (video_watermark) return null
  return download_compatible_output ? 'compatible' : 'plain'
}

/**
 * Finishes a job with the file that another one of the same medium, type and quality has, made in the same way. False when
 * there is none: then the job downloads.
 */
export async function finishWithTwin(dependencies: TwinDependencies, job: JobRow, handle: JobHandle): Promise<boolean> {
  const form = outputForm(job.type, dependencies.settings())
  const twin = form === null ? undefined : await findTwin(dependencies.db, job, form)
  if (twin?.artifact == null) return false
  if (!(await dependencies.artifacts.share(twin.id, job.id, [twin.artifact, 'thumbnail.jpg']))) return false
  await handle.advance('download-begun', { message: 'Taking the file that is stored already' })
  const now = dependencies.timers.now()
  const end = {
    finished_at: now,
    last_used_at: now,
    lease_until: null,
    message: 'Finished; the file was stored already',
  }
  const values = { ...resultOf(twin), ...(job.video_title === null ? factsOf(twin) : {}), ...end }
  if (twin.status !== 'analysis_done') await handle.advance('finished', values)
  else {
    await handle.advance('analysis-begun', { ...values, lease_until: job.lease_until })
    await handle.advance('analysed', end)
  }
  return true
}

/** What is known of a file. */
const resultOf = (twin: JobRow): JobValues => ({
  artifact: twin.artifact,
  filesize_bytes: twin.filesize_bytes,
  duration_ms: twin.duration_ms,
  codec: twin.codec,
  bitrate_kbps: twin.bitrate_kbps,
  bpm: twin.bpm,
  bpm_confidence: twin.bpm_confidence,
  bpm_alternative: twin.bpm_alternative,
  musical_key: twin.musical_key,
  key_confidence: twin.key_confidence,
  loudness_lufs: twin.loudness_lufs,
  loudness_range_lu: twin.loudness_range_lu,
  true_peak_dbtp: twin.true_peak_dbtp,
  silence_start_ms: twin.silence_start_ms,
  silence_end_ms: twin.silence_end_ms,
  analyser_version: twin.analyser_version,
  audio_hash: twin.audio_hash,
  output_form: twin.output_form,
})

/** What the platform says of a medium. */
const factsOf = (twin: JobRow): JobValues => ({
  video_title: twin.video_title,
  video_meta_hover: twin.video_meta_hover,
  track_title: twin.track_title,
  artist: twin.artist,
  album: twin.album,
  channel: twin.channel,
  published_on: twin.published_on,
  chapters: twin.chapters,
  search_words: twin.search_words,
})
