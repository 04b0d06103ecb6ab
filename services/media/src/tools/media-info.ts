import { parseJson } from '@hearth/runtime'
import { z } from 'zod'
import { MediaFailure } from './media-failure.ts'
import { MediaFacts } from './yt-dlp-output.ts'

/** Facts about media before it is fetched; `json` is the whole document, for a download without another query. */
export type MediaInfo = ReturnType<typeof infoOf>

const Format = z.object({
  format_id: z.string(),
  ext: z.string().nullish().catch(null),
  height: z.number().nullish().catch(null),
  abr: z.number().nullish().catch(null),
  vcodec: z.string().nullish().catch(null),
  acodec: z.string().nullish().catch(null),
  filesize: z.number().nullish().catch(null),
  filesize_approx: z.number().nullish().catch(null),
  tbr: z.number().nullish().catch(null),
})
/** One format that a platform offers. */
export type MediaFormat = z.infer<typeof Format>

const Info = MediaFacts.extend({
  thumbnail: z.string().nullish().catch(null),
  formats: z.array(Format.nullable().catch(null)).nullish().catch(null),
})

/** A page around media, of which the first counts. */
const Page = z.object({ _type: z.literal('playlist'), entries: z.array(z.unknown()).min(1) })

/** Reads the document of a probe; a page that holds one media counts as it. Throws a `MediaFailure` when it is none. */
export function infoOf(json: string) {
  const content = parseJson(json)
  const page = Page.safeParse(content)
  const single = page.success ? page.data.entries[0] : content
  const result = Info.safeParse(single)
  if (!result.success) throw new MediaFailure('unsupported')
  const { formats, thumbnail, ...facts } = result.data
  const known = (formats ?? []).filter((format) => format !== null)
  const own = page.success ? JSON.stringify(single) : json
  return { ...facts, thumbnail: thumbnail ?? null, formats: known, json: own }
}
