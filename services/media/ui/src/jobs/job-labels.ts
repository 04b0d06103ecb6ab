import type { Tone } from '@hearth/ui'
import type { Job, JobStatus, MediaType, Platform, Quality } from '../api.ts'

/** Label of a status, and its meaning. */
export interface StatusLabel {
  text: string
  tone: Tone
  /** Current step, for the text under the progress bar. */
  step: string
}

/** Label, tone and step of every status. */
export const statusWords: Readonly<Record<JobStatus, StatusLabel>> = {
  queued: { text: 'Waiting', tone: 'quiet', step: 'Waiting for its turn' },
  processing: { text: 'Starting', tone: 'accent', step: 'Contacting the platform' },
  downloading: { text: 'Downloading', tone: 'accent', step: 'Downloading' },
  transcoding: { text: 'Converting', tone: 'accent', step: 'Converting' },
  analysis: { text: 'Analysing', tone: 'accent', step: 'Analysing the sound' },
  analysis_done: { text: 'Done', tone: 'good', step: 'Done' },
  done: { text: 'Done', tone: 'good', step: 'Done' },
  error: { text: 'Failed', tone: 'bad', step: 'Failed' },
  cancelled: { text: 'Cancelled', tone: 'quiet', step: 'Cancelled' },
}

/** The platforms as they write themselves. */
export const platformNames: Readonly<Record<Platform, string>> = {
  youtube: 'YouTube',
  tiktok: 'TikTok',
  instagram: 'Instagram',
  facebook: 'Facebook',
}

/** Label of each type of download. */
export const typeNames: Readonly<Record<MediaType, string>> = { audio: 'Audio', video: 'Video' }

/** Resolution of each video quality. */
export const qualityNames: Readonly<Record<Quality, string>> = { max: 'Best', medium: '720p', small: '480p' }

/** Label of each audio quality, and the file it makes. */
export const audioQualities: Readonly<Record<Quality, { name: string; result: string }>> = {
  max: { name: 'Best', result: 'Best audio: the original as it is, and an MP3 made from it' },
  medium: { name: 'Medium', result: 'MP3 of about 165 kbit/s' },
  small: { name: 'Small', result: 'MP3 of about 100 kbit/s' },
}

/** `Audio, best`, or `Video, 720p`. */
export function kindOf({ type, quality }: Pick<Job, 'type' | 'quality'>): string {
  const name = type === 'audio' ? audioQualities[quality].name : qualityNames[quality]
  return `${typeNames[type]}, ${name.toLowerCase()}`
}

const codecNames: Readonly<Record<string, string>> = {
  aac: 'AAC',
  alac: 'ALAC',
  flac: 'FLAC',
  mp3: 'MP3',
  opus: 'Opus',
  vorbis: 'Vorbis',
}

/**
 * Format of the stored audio file, when it is no MP3: `Opus, 129 kbit/s`. Undefined when the MP3 is the stored file.
 */
export function originalOf({ type, codec, bitrate_kbps: kbps }: Pick<Job, 'type' | 'codec' | 'bitrate_kbps'>) {
  if (type !== 'audio' || codec === null || codec === 'mp3') return undefined
  const name = codecNames[codec] ?? codec
  return kbps === null ? name : `${name}, ${kbps.toLocaleString('en')} kbit/s`
}

/** A length as players show it: `3:07`, `1:02:09`; with one decimal `3:07.4`. */
export function clock(seconds: number, decimals = 0): string {
  const unit = 10 ** decimals
  const count = Math.max(0, Math.round(seconds * unit))
  const whole = Math.floor(count / unit)
  const padded = (value: number, length = 2) => String(value).padStart(length, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const text = hours > 0 ? `${hours}:${padded(minutes)}:${padded(whole % 60)}` : `${minutes}:${padded(whole % 60)}`
  return decimals === 0 ? text : `${text}.${padded(count % unit, decimals)}`
}

/** Label of the confidence of a tempo. */
export function confidenceWords(confidence: number | null): { text: string; tone: Tone } {
  if (confidence === null) return { text: 'Not known', tone: 'quiet' }
  if (confidence >= 0.995) return { text: 'Certain', tone: 'good' }
  if (confidence >= 0.75) return { text: 'High confidence', tone: 'good' }
  if (confidence >= 0.5) return { text: 'Likely', tone: 'accent' }
  if (confidence >= 0.25) return { text: 'Doubtful', tone: 'warn' }
  return { text: 'A guess', tone: 'warn' }
}
