import { z } from 'zod'

const count = z.int().min(0)

export const Statistics = z
  .object({
    total_jobs: count,
    total_minutes: z.number().min(0),
    total_bytes: count,
    total_stem_minutes: z.number().min(0),
    since: z.iso.datetime().nullable().meta({ description: 'When the counting began; null for always' }),
    by_platform: z.array(z.object({ platform: z.string(), jobs: count, bytes: count, failed: count })),
    by_day: z
      .array(z.object({ day: z.string().meta({ description: 'YYYY-MM-DD, UTC' }), jobs: count, bytes: count }))
      .meta({ description: 'The last 30 days, oldest first' }),
  })
  .meta({ id: 'Statistics' })
export type Statistics = z.infer<typeof Statistics>

export const ClusterQuery = z.object({
  limit: z.coerce.number('must be a whole number').int('must be a whole number').min(1).max(2000).default(1000),
})

/** Number of the latest jobs around each tempo. */
export const TempoClusters = z.array(z.object({ bpm: count, count })).meta({ id: 'TempoClusters' })
export type TempoClusters = z.infer<typeof TempoClusters>
