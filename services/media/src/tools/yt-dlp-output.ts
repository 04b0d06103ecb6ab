import { parseJson } from '@hearth/runtime'
import { z } from 'zod'

/** Progress of a download. */
export interface DownloadProgress {
  /** 0 to 99: the end of the job is the rest. */
  readonly percent: number
  readonly etaSeconds: number | null
}

const amount = z.number().min(0).nullish().catch(null)

const Progress = z.object({
  status: z.string().nullish(),
  filename: z.string().nullish(),
  downloaded_bytes: amount,
  total_bytes: amount,
  total_bytes_estimate: amount,
  eta: amount,
  fragment_index: amount,
  fragment_count: amount,
})

const text = z.string().nullish().catch(null)

const day = z
  .string()
  .regex(/^\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/)
  .nullish()
  .catch(null)

const Chapter = z.object({ start_time: z.number().min(0), end_time: z.number().min(0), title: text })

/** A platform's facts about the media. */
export const MediaFacts = z.object({
  title: text,
  channel: text,
  uploader: text,
  duration: z.number().min(0).nullish().catch(null),
  view_count: z.int().min(0).nullish().catch(null),
  track: text,
  artist: text,
  artists: z.array(z.string()).nullish().catch(null),
  album: text,
  /** `YYYYMMDD`. */
  release_date: day,
  upload_date: day,
  chapters: z.array(Chapter.nullable().catch(null)).nullish().catch(null),
  /** Bytes, stated or estimated, and bit rate in kbit/s of what is fetched. */
  filesize: amount,
  filesize_approx: amount,
  tbr: amount,
})
export type MediaFacts = z.infer<typeof MediaFacts>

const Entry = z.object({
  url: z.string(),
  title: text,
  duration: z.number().min(0).nullish().catch(null),
  /** Seconds since the epoch. */
  timestamp: z.number().min(0).nullish().catch(null),
  upload_date: day,
  live_status: text,
  playlist_title: text,
})
/** An entry of a playlist or channel, as the platform names it. */
export type ListEntry = z.infer<typeof Entry>

/** Reads the entries in the output of a list; lines that are none are left out. */
export function readListEntries(output: string, marker: string): ListEntry[] {
  return output.split('\n').flatMap((line) => {
    if (!line.startsWith(marker)) return []
    const entry = Entry.safeParse(parseJson(line.slice(marker.length)))
    return entry.success ? [entry.data] : []
  })
}

/** Meaning of a line of a download's output. */
export type DownloadLine =
  | { readonly kind: 'progress'; readonly progress: DownloadProgress }
  | { readonly kind: 'media'; readonly facts: MediaFacts }
  | { readonly kind: 'file'; readonly path: string }

/**
 * Reads the lines of one download that begin with its marker; anything else is undefined. The percentage counts all files of
 * the media, and never goes back: parallel fragments report in any order.
 *
 * @param files how many files are expected, such as 2 for a picture and a sound track
 */
export function createOutputReader(marker: string, files: number): (line: string) => DownloadLine | undefined {
  const shares = new Map<string, number>()
  let highest = 0

  function advance(content: unknown): DownloadLine | undefined {
    const result = Progress.safeParse(content)
    if (!result.success) return undefined
    const progress = result.data
    const share = progress.status === 'finished' ? 1 : shareOf(progress)
    const name = progress.filename ?? ''
    shares.set(name, Math.max(shares.get(name) ?? 0, share))
    const all = [...shares.values()].reduce((sum, one) => sum + one, 0) / Math.max(files, shares.size)
    highest = Math.max(highest, Math.min(99, Math.floor(all * 100)))
    const eta = progress.eta ?? null
    return { kind: 'progress', progress: { percent: highest, etaSeconds: eta === null ? null : Math.round(eta) } }
  }

  return (line) => {
    if (!line.startsWith(`${marker} `)) return undefined
    const [, kind = '', json = ''] = /^(\w+) (.*)$/s.exec(line.slice(marker.length + 1)) ?? []
    const content = parseJson(json)
    if (kind === 'progress') return advance(content)
    if (kind === 'file' && typeof content === 'string') return { kind, path: content }
    if (kind !== 'media') return undefined
    const facts = MediaFacts.safeParse(content)
    return facts.success ? { kind, facts: facts.data } : undefined
  }
}

function shareOf(progress: z.infer<typeof Progress>): number {
  const total = progress.total_bytes ?? progress.total_bytes_estimate ?? 0
  const bytes = total === 0 ? 0 : (progress.downloaded_bytes ?? 0) / total
  const count = progress.fragment_count ?? 0
  const fragments = count === 0 ? 0 : (progress.fragment_index ?? 0) / count
  return Math.min(1, count === 0 ? bytes : fragments)
}
