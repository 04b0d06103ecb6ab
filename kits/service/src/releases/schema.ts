import { z } from 'zod'

/** Result of the check for newer versions. */
export const ReleaseInfo = z
  .object({
    version: z.string(),
    latest: z.string().nullable(),
    update_available: z.boolean().nullable().meta({ description: 'null if unknown' }),
    url: z.string().nullable(),
    checked_at: z.iso.datetime().nullable(),
    cached: z.boolean(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ReleaseInfo' })
export type ReleaseInfo = z.infer<typeof ReleaseInfo>
