import { z } from 'zod'
import { JobTimestamp } from '../jobs/schema.ts'

const count = z.int().min(0)

/** A share link with its uses and its end. */
export const ShareLink = z
  .object({
    ok: z.literal(true),
    url: z.string().meta({ description: 'Ends in the token' }),
    max_uses: count.meta({ description: '0 is unlimited' }),
    uses: count,
    expires_at: JobTimestamp.nullable(),
  })
  .meta({ id: 'ShareLink' })
export type ShareLink = z.infer<typeof ShareLink>

/** The form of every token there ever was. */
export const ShareToken = z.string().regex(/^[\w-]{8,128}$/)

export const SharesRevoked = z.object({ ok: z.literal(true), deleted: count }).meta({ id: 'SharesRevoked' })
