import { camelotName, keyName } from '../music/musical-keys.ts'
import type { JobRow } from '../tables.ts'
import type { MediaFacts } from '../tools/yt-dlp-output.ts'
import { readChapters, type Chapter } from '../tags/media-tags.ts'
import { plainText } from '../tags/plain-text.ts'
import { readTags } from './job-tags.ts'
import { searchWords } from './search-words.ts'
import { downloadName } from './file-names.ts'
import type { Job } from './schema.ts'
import type { JobValues } from './store.ts'

/** `YYYY-MM-DD HH:MM:SS` in UTC. */
export const jobTimestamp = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')

/** A job as the API shows it. */
export function jobOfRow(row: JobRow): Job {
  return {
    id: row.id,
    url: row.url,
    platform: row.platform,
    video_title: row.video_title,
    video_meta_hover: row.video_meta_hover,
    artist: row.artist,
    album: row.album,
    channel: row.channel,
    published_on: row.published_on,
    chapter_count: readChapters(row.chapters).length,
    type: row.type,
    quality: row.quality,
    status: row.status,
    created_at: jobTimestamp(row.created_at),
    finished_at: row.finished_at === null ? null : jobTimestamp(row.finished_at),
    message: row.message,
    error_code: row.error_code,
    filesize_bytes: row.filesize_bytes,
    duration_seconds: row.duration_ms === null ? null : Math.round(row.duration_ms / 1000),
    codec: row.codec,
    bitrate_kbps: row.bitrate_kbps,
    bpm: row.bpm,
    bpm_confidence: row.bpm_confidence,
    key: row.musical_key === null ? null : (keyName(row.musical_key) ?? null),
    key_camelot: row.musical_key === null ? null : camelotName(row.musical_key),
    key_confidence: row.key_confidence,
    loudness_lufs: row.loudness_lufs,
    loudness_range_lu: row.loudness_range_lu,
    true_peak_dbtp: row.true_peak_dbtp,
    silence_start_seconds: row.silence_start_ms === null ? null : row.silence_start_ms / 1000,
    silence_end_seconds: row.silence_end_ms === null ? null : row.silence_end_ms / 1000,
    analysis_pending: row.analysis_wanted_at !== null,
    tags: readTags(row.tags),
    pinned: row.pinned === 1,
    audio_hash: row.audio_hash,
    filename: downloadName(row),
  }
}

/** Text under a title: channel, length and views; unknown parts are left out. */
function hoverText(facts: Partial<MediaFacts>): string | null {
  const parts = [
    facts.channel ? `Channel: ${facts.channel}` : '',
    facts.uploader && facts.uploader !== facts.channel ? `Uploader: ${facts.uploader}` : '',
    facts.duration ? `Duration: ${clockText(facts.duration)}` : '',
    typeof facts.view_count === 'number' ? `Views: ${facts.view_count.toLocaleString('en-US')}` : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? null : parts.join(' | ')
}

/** Formats a length in seconds as players show it: `3:07`, `1:02:09`. */
export function clockText(seconds: number): string {
  const whole = Math.round(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** Maximum length of a text of a platform that is kept, characters, and of the list of chapters. */
const [maxText, maxChapters] = [500, 500]

function chaptersOf({ chapters }: MediaFacts): Chapter[] {
  return (chapters ?? []).slice(0, maxChapters).flatMap((chapter) => {
    if (chapter === null || chapter.end_time <= chapter.start_time) return []
    const [start, end] = [chapter.start_time, chapter.end_time].map((seconds) => Math.round(seconds * 1000))
    return [{ start: start ?? 0, end: end ?? 0, title: plainText(chapter.title, maxText) }]
  })
}

const wordsOf = (values: JobValues): string =>
  searchWords([values.video_title, values.track_title, values.artist, values.album, values.channel].join(' ')).join(' ')

/** Returns the platform's facts about the media, as the job stores them. */
export function factsValues(facts: MediaFacts): JobValues {
  const { title, duration } = facts
  const [channel, uploader] = [plainText(facts.channel, maxText), plainText(facts.uploader, maxText)]
  const published = facts.release_date ?? facts.upload_date
  const chapters = chaptersOf(facts)
  const values = {
    video_title: plainText(title, maxText),
    video_meta_hover: hoverText({ ...facts, channel, uploader }),
    track_title: plainText(facts.track, maxText),
    artist: plainText(facts.artist ?? facts.artists?.join(', '), maxText),
    album: plainText(facts.album, maxText),
    channel: channel ?? uploader,
    published_on: published?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') ?? null,
    chapters: chapters.length === 0 ? null : JSON.stringify(chapters),
    duration_ms: duration == null ? null : Math.round(duration * 1000),
  }
  return { ...values, search_words: wordsOf(values) }
}
