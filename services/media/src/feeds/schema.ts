import { z } from 'zod'
import { JobTimestamp } from '../jobs/schema.ts'

const name = z.string().trim().min(1).max(100)

/** A feed to make. */
export const FeedCreate = z.strictObject({ name }).meta({ id: 'FeedCreate' })

/** A feed of the finished sounds, for podcast apps. */
export const Feed = z
  .object({
    id: z.uuid(),
    name,
    url: z.string().meta({ description: 'Whoever has it gets every finished sound; it ends in the token' }),
    created_at: JobTimestamp,
  })
  .meta({ id: 'Feed' })
export type Feed = z.infer<typeof Feed>

export const FeedList = z.array(Feed)

export const FeedDeleted = z.object({ ok: z.literal(true) }).meta({ id: 'FeedDeleted' })
