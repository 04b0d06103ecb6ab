import { z } from 'zod'
import { JobTimestamp } from '../jobs/schema.ts'
import { MediaType, Platform, Quality } from '../platforms/schema.ts'

const count = z.int().min(0)
const minutes = z.int().min(15).max(10_080).meta({ description: 'Minutes between two checks' })
const day = z.iso.date().nullable().meta({ description: 'Only what was published on this day or later' })
const seconds = z.int().min(1).max(86_400).nullable().meta({ description: 'Only what is at least so long' })
const words = z.string().trim().max(500).nullable().meta({
  description: 'Words separated by commas, of which the title must have one; one after a `-` must not be in it',
})

/** A playlist or channel to follow. */
export const FollowCreate = z
  .strictObject({
    url: z.string(),
    type: MediaType.default('audio'),
    quality: Quality.default('max'),
    every_minutes: minutes.default(360),
    newer_than: day.default(null),
    min_seconds: seconds.default(null),
    title_has: words.default(null),
    takes_present: z
      .boolean()
      .default(false)
      .meta({ description: 'Download what is in it now, too; otherwise only what is added from now on' }),
  })
  .meta({ id: 'FollowCreate' })
export type FollowCreate = z.infer<typeof FollowCreate>

/** A change of a followed list; what is left out stays. */
export const FollowChange = z
  .strictObject({
    type: MediaType,
    quality: Quality,
    every_minutes: minutes,
    newer_than: day,
    min_seconds: seconds,
    title_has: words,
    is_enabled: z.boolean(),
  })
  .partial()
  .meta({ id: 'FollowChange' })
export type FollowChange = z.infer<typeof FollowChange>

/** A followed playlist or channel. */
export const Follow = z
  .object({
    id: z.uuid(),
    url: z.string(),
    platform: Platform,
    title: z.string().nullable(),
    type: MediaType,
    quality: Quality,
    every_minutes: minutes,
    newer_than: day,
    min_seconds: seconds,
    title_has: words,
    is_enabled: z.boolean(),
    created_at: JobTimestamp,
    checked_at: JobTimestamp.nullable(),
    next_at: JobTimestamp.nullable().meta({ description: 'Of the next check; null while it is disabled' }),
    is_checking: z.boolean(),
    failures: count.meta({ description: 'Checks in a row that failed; each doubles the wait, up to a week' }),
    error_code: z.string().nullable(),
    message: z.string().nullable().meta({ description: 'Why the last check failed' }),
    known: count.meta({ description: 'Media of the list that were decided about' }),
  })
  .meta({ id: 'Follow' })
export type Follow = z.infer<typeof Follow>

export const FollowList = z.array(Follow)

export const FollowDeleted = z.object({ ok: z.literal(true) }).meta({ id: 'FollowDeleted' })
