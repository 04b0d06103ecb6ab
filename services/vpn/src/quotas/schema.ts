import { z } from 'zod'
import { Timestamp, wholeNumber } from '../envelope.ts'
import { Bandwidth } from '../limits/schema.ts'

const members = {
  bytes: z.int().min(1_000_000).max(1_000_000_000_000_000).meta({ description: 'Bytes of one period, 1 MB to 1 PB' }),
  counts: z
    .enum(['both', 'down'])
    .default('both')
    .meta({ description: 'Which bytes count: both directions together, or those to the peer' }),
  period: z
    .enum(['month', 'rolling'])
    .default('month')
    .meta({ description: 'A calendar month, or today and the 29 days before, in the time zone of the service' }),
  start_day: z.int().min(1).max(31).default(1).meta({
    description: 'Day on which a month begins; the last day of months that are shorter. Of no effect with rolling',
  }),
  at_limit: z
    .enum(['notify', 'slow', 'stop'])
    .default('notify')
    .meta({ description: 'What happens when the quota is used up, until the period ends' }),
  slow_to: Bandwidth.nullable()
    .default(null)
    .meta({ description: 'Bandwidth in Mbit/s both ways with slow; else null' }),
}

/** A quota to set. */
export const PeerQuotaSet = z
  .strictObject(members)
  .refine(({ at_limit, slow_to }) => at_limit !== 'slow' || slow_to !== null, {
    path: ['slow_to'],
    message: 'is needed to slow a peer down',
  })
  .meta({ id: 'PeerQuotaSet' })
export type PeerQuotaSet = z.infer<typeof PeerQuotaSet>

/** The quota of a peer and what it used of it. */
export const PeerQuota = z
  .object({
    bytes: wholeNumber,
    counts: z.enum(['both', 'down']),
    period: z.enum(['month', 'rolling']),
    start_day: wholeNumber,
    at_limit: z.enum(['notify', 'slow', 'stop']),
    slow_to: z.number().nullable(),
    used: wholeNumber.meta({ description: 'Bytes in this period so far, as of the last sample' }),
    state: z
      .enum(['within', 'near', 'over'])
      .meta({ description: 'near from 80 % on; over from 100 % on, while `at_limit` holds' }),
    since: Timestamp.meta({ description: 'Begin of the count' }),
    until: Timestamp.meta({
      description: 'Time at which the count begins anew; with rolling, at which enough old traffic is out of it',
    }),
  })
  .meta({ id: 'PeerQuota' })
export type PeerQuota = z.infer<typeof PeerQuota>
