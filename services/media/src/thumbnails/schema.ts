import { z } from 'zod'

export const UrlQuery = z.object({ url: z.string({ error: 'is missing' }).max(4096, 'is too long') })

export const ThumbnailAnswer = z
  .object({
    thumbnail_url: z.string().nullable().meta({ description: 'Path on this service' }),
    cached: z.boolean(),
    unavailable: z.boolean(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Thumbnail' })
export type ThumbnailAnswer = z.infer<typeof ThumbnailAnswer>
