import { opusGain, replayGain, replayPeak, type MediaTags } from './media-tags.ts'

/** Forms of tags: ID3 of MP3, atoms of MP4, comments of Opus, of Vorbis and of FLAC, and the information of WAV. */
export type TagForm = 'id3' | 'mp4' | 'opus' | 'vorbis' | 'flac' | 'riff'

/** Tags as ffmpeg reads them from a file of its own format: no text of a platform reaches an argument. */
export function metadataText(tags: MediaTags, form: TagForm, more: Readonly<Record<string, string>> = {}): string {
  const named = { ...commonTags(tags), ...soundTags[form](tags), ...more }
  const lines = Object.entries(named).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${escaped(String(value))}`],
  )
  const chapters = tags.chapters.map(
    ({ start, end, title }) =>
      `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${Math.round(start)}\nEND=${Math.round(end)}\ntitle=${escaped(title ?? '')}\n`,
  )
  return `;FFMETADATA1\n${lines.join('\n')}\n${chapters.join('')}`
}

/** ffmpeg takes any backslash at the end of a line for one that escapes the end, so none is left there. */
const escaped = (text: string): string => text.replace(/[\\\s]+$/, '').replaceAll(/[=;#\\\n]/g, String.raw`\$&`)

type Named = Record<string, string | number | null>

function commonTags({ title, artist, album, date, source }: MediaTags): Named {
  return { title, artist, album, date, comment: source, purl: source }
}

const gains = ({ loudness, peak }: MediaTags): Named => ({
  REPLAYGAIN_TRACK_GAIN: loudness === null ? null : replayGain(loudness),
  REPLAYGAIN_TRACK_PEAK: peak === null ? null : replayPeak(peak),
})

const soundTags: Readonly<Record<TagForm, (tags: MediaTags) => Named>> = {
  id3: (tags) => ({ TBPM: tags.bpm, TKEY: tags.key, ...gains(tags) }),
  // What MP4 has no name for is written afterwards; see `freeform-atoms.ts`.
  mp4: (tags) => ({ tmpo: tags.bpm }),
  // RFC 7845 has a gain of its own, and wants no other beside it.
  opus: (tags) => ({
    ...musicComments(tags),
    R128_TRACK_GAIN: tags.loudness === null ? null : opusGain(tags.loudness),
  }),
  vorbis: (tags) => ({ ...musicComments(tags), ...gains(tags) }),
  flac: (tags) => ({ ...musicComments(tags), ...gains(tags) }),
  riff: () => ({}),
}

function musicComments({ bpm, key }: MediaTags): Named {
  return { BPM: bpm, INITIALKEY: key }
}
