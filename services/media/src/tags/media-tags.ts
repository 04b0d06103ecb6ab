import { z } from 'zod'
import { parseJson } from '@hearth/runtime'
import { keyTag } from '../music/musical-keys.ts'
import type { JobRow } from '../tables.ts'
import { plainText } from './plain-text.ts'

/** A chapter of media, milliseconds from its beginning. */
export const Chapter = z.object({
  start: z.number().min(0),
  end: z.number().min(0),
  title: z.string().nullable(),
})
export type Chapter = z.infer<typeof Chapter>

/** Tags of a file: what it says of itself. Unknown ones are null. */
export interface MediaTags {
  readonly title: string | null
  readonly artist: string | null
  readonly album: string | null
  /** `YYYY-MM-DD`. */
  readonly date: string | null
  /** Address it was downloaded from. */
  readonly source: string
  readonly bpm: number | null
  /** As `Am` or `Eb`. */
  readonly key: string | null
  /** Integrated loudness, LUFS, and true peak, dBTP: replay gain is made of them. */
  readonly loudness: number | null
  readonly peak: number | null
  readonly chapters: readonly Chapter[]
}

type Tagged = Pick<
  JobRow,
  | 'url'
  | 'video_title'
  | 'track_title'
  | 'artist'
  | 'album'
  | 'channel'
  | 'published_on'
  | 'bpm'
  | 'musical_key'
  | 'loudness_lufs'
  | 'true_peak_dbtp'
  | 'chapters'
>

/** Maximum length of a tag, characters. */
const maxText = 500

/** Returns the tags of a job's file: as far as the platform names no artist, the channel stands for it. */
export function tagsOfJob(job: Tagged): MediaTags {
  return {
    title: plainText(job.track_title ?? job.video_title, maxText),
    artist: plainText(job.artist ?? job.channel, maxText),
    album: plainText(job.album, maxText),
    date: job.published_on,
    source: job.url,
    bpm: job.bpm,
    key: job.musical_key === null ? null : (keyTag(job.musical_key) ?? null),
    loudness: job.loudness_lufs,
    peak: job.true_peak_dbtp,
    chapters: readChapters(job.chapters),
  }
}

/** Reads the chapters of a row; none of a text that holds none. */
export function readChapters(text: string | null): readonly Chapter[] {
  return z.array(Chapter).safeParse(parseJson(text ?? '[]')).data ?? []
}

/** Loudness that ReplayGain 2.0 and RFC 7845 (Opus) bring a track to, LUFS. */
const target = { replayGain: -18, opus: -23 } as const

/** Returns the gain that ReplayGain 2.0 gives a track: `-8.90 dB`. */
export const replayGain = (loudness: number): string => `${(target.replayGain - loudness).toFixed(2)} dB`

/** Returns the peak of a track as ReplayGain has it, 1 for full scale: `0.988553`. */
export const replayPeak = (peak: number): string => (10 ** (peak / 20)).toFixed(6)

/** Returns the gain in the header's form of Opus: 256 steps a decibel. */
export const opusGain = (loudness: number): number =>
  Math.max(-32_768, Math.min(32_767, Math.round((target.opus - loudness) * 256)))
