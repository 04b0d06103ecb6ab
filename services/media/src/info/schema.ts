import { z } from 'zod'
import { Platform } from '../platforms/schema.ts'

export const InfoQuery = z.object({ url: z.string({ error: 'is missing' }) })

const text = z.string().nullable()

/** Facts about media before it is downloaded; all null when the platform does not answer. */
export const Info = z
  .object({
    title: text,
    channel: text,
    uploader: text,
    duration: z.int().min(0).nullable().meta({ description: 'Seconds' }),
    view_count: z.int().min(0).nullable(),
    thumbnail: text.meta({ description: 'Address on this service' }),
    platform: Platform,
    formats: z.array(
      z.object({
        format_id: z.string(),
        ext: text,
        resolution: z.string().meta({ description: 'Such as 1080p, 128kbps, video, audio' }),
        filesize: z.int().min(0).nullable(),
      }),
    ),
    formats_total: z.int().min(0),
    formats_truncated: z.boolean(),
    unavailable: z.boolean(),
    reason: text.meta({ description: 'Stable code of why it is unavailable' }),
  })
  .meta({ id: 'Info' })
export type Info = z.infer<typeof Info>
