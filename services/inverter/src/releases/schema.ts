import { z } from 'zod'
import { switchParameter } from '../metrics/schema.ts'

export const ReleaseQuery = z.strictObject({ refresh: switchParameter })

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
