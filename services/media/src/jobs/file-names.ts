import type { JobRow } from '../tables.ts'
import type { Quality } from '../platforms/schema.ts'

const maxCharacters = 120
const maxBytes = 200

/**
 * Characters that file systems and headers do not allow: control characters, reserved ones, and bidirectional marks.
 */
// oxlint-disable-next-line no-control-regex
const unwanted = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/g

/** A title as part of a file name: nothing reserved, at most 120 characters and 200 bytes, never empty. */
export function fileTitle(title: string | null, max = maxCharacters): string {
  const plain = (title ?? '').replaceAll(unwanted, ' ').replaceAll(/\s+/g, ' ').trim()
  let text = ''
  let length = 0
  for (const { segment } of new Intl.Segmenter().segment(plain)) {
    if (length === max || Buffer.byteLength(text + segment) > maxBytes) break
    text += segment
    length += 1
  }
  text = text.replaceAll(/^[.\s-]+|[.\s]+$/g, '')
  return text === '' ? 'media' : text
}

type Named = Pick<JobRow, 'video_title' | 'bpm' | 'artifact' | 'type' | 'quality'>

/** ` _120bpm` without the blank, when a tempo is known. */
const tempoTag = ({ bpm }: Pick<Named, 'bpm'>): string => (bpm === null ? '' : `_${bpm}bpm`)

const qualityTag: Record<Quality, string> = {
  max: ' (maxQuality)',
  medium: ' (mediumQuality)',
  small: ' (smallQuality)',
}

/** The name a finished file is saved under, or null while there is none: audio goes out as MP3 unless another format is wanted. */
export function downloadName(job: Named, soundExtension = 'mp3'): string | null {
  if (job.artifact === null) return null
  const own = job.artifact.slice(job.artifact.lastIndexOf('.') + 1)
  if (job.type === 'audio') return `${fileTitle(job.video_title)}${tempoTag(job)}.${soundExtension}`
  return `${fileTitle(job.video_title)}${qualityTag[job.quality]}.${own}`
}

/** The name a trim is saved under. */
export function trimName(job: Named): string {
  return `${fileTitle(job.video_title, 100)}${tempoTag(job)}_trimmed.wav`
}

/** The name a stem is saved under. */
export function stemName(job: Named, stem: 'vocals' | 'instrumental', isTrimmed: boolean): string {
  return `${fileTitle(job.video_title)}${tempoTag(job)}${isTrimmed ? '_trimmed' : ''}_${stem}.mp3`
}
