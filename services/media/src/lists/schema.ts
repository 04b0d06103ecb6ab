import { z } from 'zod'
import { MediaType, Platform } from '../platforms/schema.ts'

export const ListQuery = z.object({
  url: z.string({ error: 'is missing' }),
  type: MediaType.default('audio').meta({ description: 'Of the downloads that `job_id` looks for' }),
})

/** A medium of a playlist or channel. */
export const ListedMedia = z
  .object({
    url: z.string(),
    title: z.string().nullable(),
    duration_seconds: z.int().min(0).nullable(),
    published_on: z.string().nullable().meta({ description: '`YYYY-MM-DD`, as exactly as the platform tells' }),
    job_id: z.uuid().nullable().meta({ description: 'A download of it that is running, or done with its file' }),
  })
  .meta({ id: 'ListedMedia' })

/** A playlist or channel with its media, in its order. */
export const MediaList = z
  .object({
    platform: Platform,
    url: z.string(),
    title: z.string().nullable(),
    entries: z.array(ListedMedia),
    left_out: z.int().min(0).meta({ description: 'Entries that cannot be downloaded, and repeated ones' }),
    is_truncated: z.boolean().meta({ description: 'There are more than 1,000' }),
  })
  .meta({ id: 'MediaList' })
export type MediaList = z.infer<typeof MediaList>
