import { z } from 'zod'
import { JobTimestamp } from '../jobs/schema.ts'
import { BlockReason, Platform } from '../platforms/schema.ts'

const count = z.int().min(0)

/** What a person does about a platform that fails. */
export const Advice = z.enum(['cookies', 'wait', 'update_tool', 'check_network'])
export type Advice = z.infer<typeof Advice>

/** How downloads from a platform go. */
export const PlatformHealth = z
  .object({
    platform: Platform,
    state: z.enum(['ok', 'degraded', 'blocked', 'unknown']).meta({
      description:
        '`blocked` while the platform refuses this server and its downloads wait; `unknown` without downloads',
    }),
    reason: z.string().nullable().meta({ description: 'Stable code of the most frequent failure, or of the pause' }),
    advice: Advice.nullable().meta({ description: 'The one thing to do' }),
    completed: count.meta({ description: 'Of the last 20 downloads that ended' }),
    failed: count.meta({ description: 'Of those, the ones that failed for a reason of the platform' }),
    last_completed_at: JobTimestamp.nullable(),
    waiting: count.meta({ description: 'Downloads in the queue' }),
    pause: z
      .object({
        reason: BlockReason,
        since: JobTimestamp,
        seconds_left: count.meta({ description: 'Until one download is tried; 0 when that may happen now' }),
        refusals: count.meta({ description: 'In a row' }),
        is_probing: z.boolean().meta({ description: 'One download is being tried' }),
      })
      .nullable(),
  })
  .meta({ id: 'PlatformHealth' })
export type PlatformHealth = z.infer<typeof PlatformHealth>
