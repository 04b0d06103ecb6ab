import type { JobRow } from '../tables.ts'
import { camelotName, keyTag } from '../music/musical-keys.ts'
import { defaultTemplates, parseTemplate, renderTemplate } from '../naming/name-template.ts'

const maxCharacters = 120
/** Maximum of a whole name, characters and bytes: file systems allow 255 with the extension. */
const maxName = 230
const maxBytes = 200

/**
 * Characters that file systems and headers do not allow: control characters, reserved ones, and bidirectional marks.
 */
// oxlint-disable-next-line no-control-regex
const unwanted = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/g

/** A title as part of a file name, or the whole name; never empty. */
export function fileTitle(title: string | null, max = maxCharacters, bytes = maxBytes): string {
  const text = fileText(title ?? '', max, bytes)
  return text === '' ? 'media' : text
}

/** A text as part of a file name: nothing reserved, at most 120 characters and 200 bytes. */
function fileText(title: string, max = maxCharacters, bytes = maxBytes): string {
  // Half a character has no form in a header.
  const plain = title.toWellFormed().replaceAll(unwanted, ' ').replaceAll(/\s+/g, ' ').trim()
  // Most texts fit, and finding the characters of a text takes far longer than the check.
  if (plain.length <= max && Buffer.byteLength(plain) <= bytes) return trimmed(plain)
  let text = ''
  let length = 0
  for (const { segment } of new Intl.Segmenter().segment(plain)) {
    if (length === max || Buffer.byteLength(text + segment) > bytes) break
    text += segment
    length += 1
  }
  return trimmed(text)
}

const trimmed = (text: string): string => text.replaceAll(/^[.\s-]+|[.\s]+$/g, '')

type Named = Pick<
  JobRow,
  | 'id'
  | 'platform'
  | 'video_title'
  | 'artist'
  | 'album'
  | 'channel'
  | 'published_on'
  | 'bpm'
  | 'musical_key'
  | 'artifact'
  | 'type'
  | 'quality'
  | 'name_template'
>

/** ` _120bpm` without the blank, when a tempo is known. */
const tempoTag = ({ bpm }: Pick<Named, 'bpm'>): string => (bpm === null ? '' : `_${bpm}bpm`)

/** The name a finished file is saved under, or null while there is none: audio goes out as MP3 unless another format is wanted. */
export function downloadName(job: Named, soundExtension = 'mp3'): string | null {
  if (job.artifact === null) return null
  const own = job.artifact.slice(job.artifact.lastIndexOf('.') + 1)
  return `${templateName(job)}.${job.type === 'audio' ? soundExtension : own}`
}

/** The name of a job's file without its extension, by its template. */
function templateName(job: Named): string {
  const part = (text: string | null) => (text === null ? '' : fileText(text))
  const { musical_key: key, published_on: date } = job
  const values = {
    title: fileTitle(job.video_title),
    artist: part(job.artist ?? job.channel),
    album: part(job.album),
    channel: part(job.channel),
    date: part(date),
    year: part(date).slice(0, 4),
    bpm: job.bpm === null ? '' : String(job.bpm),
    key: key === null ? '' : (keyTag(key) ?? ''),
    camelot: key === null ? '' : camelotName(key),
    quality: job.quality,
    platform: job.platform,
    id: job.id.slice(0, 8),
  }
  const template = parseTemplate(job.name_template ?? defaultTemplates[job.type])
  // Two long values are cut once more, and a field that is nothing leaves a name all the same.
  return fileTitle(renderTemplate(template, values), maxName, maxName)
}

/** The name a trim is saved under. */
export function trimName(job: Named): string {
  return `${fileTitle(job.video_title, 100)}${tempoTag(job)}_trimmed.wav`
}

/** The name a stem is saved under. */
export function stemName(job: Named, stem: 'vocals' | 'instrumental', isTrimmed: boolean): string {
  return `${fileTitle(job.video_title)}${tempoTag(job)}${isTrimmed ? '_trimmed' : ''}_${stem}.mp3`
}

/** A file of an export: its place among so many, and the name of its part. */
interface ExportName {
  readonly number: number
  readonly count: number
  readonly name: string
  readonly extension: string
}

/** The name an exported part is saved under: `Title - 01 Intro.wav`. */
export function exportName(job: Named, { number, count, name, extension }: ExportName): string {
  const place = count === 1 ? '' : String(number).padStart(Math.max(2, String(count).length), '0')
  const part = [place, fileText(name, 60, 90)].filter((text) => text !== '').join(' ')
  return `${[fileTitle(job.video_title, 100, 120), part === '' ? 'part' : part].join(' - ')}.${extension}`
}
