import { z } from 'zod'
import { idText, wholeNumber } from '../envelope.ts'
import { settableLimits } from '../limits/schema.ts'
import { expiry, Tag } from './schema.ts'

const ids = z.array(idText).min(1).max(1000).meta({ description: 'Ids of peers, on any interfaces' })

/** One change of many peers. */
export const PeerBulkChange = z
  .discriminatedUnion('action', [
    z.strictObject({ action: z.literal('enable'), ids }),
    z.strictObject({ action: z.literal('disable'), ids }),
    z.strictObject({ action: z.literal('delete'), ids }),
    z.strictObject({ action: z.literal('add_tag'), ids, tag: Tag }),
    z.strictObject({ action: z.literal('remove_tag'), ids, tag: Tag }),
    z.strictObject({ action: z.literal('set_expiry'), ids, expires_at: expiry }),
    z
      .strictObject({ action: z.literal('set_limit'), ids, ...settableLimits })
      .refine(
        ({ limit_down, limit_up }) => limit_down !== undefined || limit_up !== undefined,
        'must have limit_down, limit_up or both',
      ),
  ])
  .meta({ id: 'PeerBulkChange' })
export type PeerBulkChange = z.infer<typeof PeerBulkChange>

export const PeerBulkChanged = z
  .object({ peers: wholeNumber.meta({ description: 'Number of different peers that were named' }) })
  .meta({ id: 'PeerBulkChanged' })
