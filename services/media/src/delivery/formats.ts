import { z } from 'zod'
import { mp3Args } from '../conversion/convert.ts'
import type { Quality } from '../platforms/schema.ts'
import type { JobRow } from '../tables.ts'
import type { TagForm } from '../tags/metadata-text.ts'

/** Formats that a sound can be downloaded in. `original` is the stored file, copied with tags. */
export const SoundFormat = z.enum(['mp3', 'mp3-320', 'mp3-192', 'mp3-128', 'opus', 'flac', 'wav', 'original'])
export type SoundFormat = z.infer<typeof SoundFormat>

/** Way to make a file of a format. */
export interface Encoding {
  readonly extension: string
  /** Arguments of ffmpeg for the sound. */
  readonly args: readonly string[]
  /** Arguments of ffmpeg for the file around it. */
  readonly container: readonly string[]
  /** Names that tags have in the file; undefined for a container that is not known to take any. */
  readonly form: TagForm | undefined
}

const forms: Readonly<Record<string, TagForm>> = {
  mp3: 'id3',
  m4a: 'mp4',
  mp4: 'mp4',
  opus: 'opus',
  ogg: 'vorbis',
  oga: 'vorbis',
  flac: 'flac',
  wav: 'riff',
}

/** Formats whose codec has the same name: a source in it is copied and not encoded again. */
const copied = new Set<SoundFormat>(['mp3', 'opus', 'flac'])

/** The members of a job that decide how its sound becomes a file of a format. */
export type SoundSource = Pick<JobRow, 'quality' | 'codec'> & { readonly artifact: string }

const encoders: Readonly<Record<Exclude<SoundFormat, 'original'>, (quality: Quality) => string[]>> = {
  mp3: mp3Args,
  'mp3-320': () => ['-c:a', 'libmp3lame', '-b:a', '320k'],
  'mp3-192': () => ['-c:a', 'libmp3lame', '-b:a', '192k'],
  'mp3-128': () => ['-c:a', 'libmp3lame', '-b:a', '128k'],
  opus: (quality) => ['-c:a', 'libopus', '-b:a', opusRates[quality], '-vbr', 'on'],
  flac: () => ['-c:a', 'flac', '-sample_fmt', 's16', '-compression_level', '5'],
  wav: () => ['-c:a', 'pcm_s16le'],
}

const opusRates: Readonly<Record<Quality, string>> = { max: '160k', medium: '112k', small: '64k' }

/** Returns the extension of a format's file, of a sound that is stored under a name. */
export function extensionOf(format: SoundFormat, artifact: string): string {
  if (format === 'original') return artifact.slice(artifact.lastIndexOf('.') + 1)
  return format.replace(/-\d+$/, '')
}

/** Returns how the sound of a job becomes a file of a format. */
export function encodingFor(format: SoundFormat, { artifact, quality, codec }: SoundSource): Encoding {
  const extension = extensionOf(format, artifact)
  const isCopy = format === 'original' || (copied.has(format) && codec === format)
  // Opus has tags of its own in whatever Ogg file it is.
  const isOpus = isCopy && codec === 'opus' && forms[extension] === 'vorbis'
  return {
    extension,
    args: isCopy ? ['-c:a', 'copy'] : encoders[format](quality),
    // From 4 GiB on, the sizes of a WAV have no room in its header: then it is an RF64.
    container: extension === 'wav' ? ['-rf64', 'auto'] : [],
    form: isOpus ? 'opus' : forms[extension],
  }
}
