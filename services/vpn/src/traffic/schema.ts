import { parseIsoTime } from '@hearth/runtime'
import { z } from 'zod'
import { plainText, Timestamp, wholeNumber } from '../envelope.ts'

/** A time as ISO 8601 has it: with an offset, or without, which is UTC; a date alone is its beginning. */
export const QueryTime = z
  .string()
  .max(40)
  // A plus sign that was not escaped arrives as a blank.
  .transform((text, context) => toIsoString(text.replace(/ (?=\d\d:?\d\d$)/, '+'), context))
  .meta({ format: 'date-time', description: 'ISO 8601; without an offset it is UTC' })

function toIsoString(text: string, context: z.RefinementCtx): number {
  const at = parseIsoTime(text, { withoutOffset: true, dateOnly: true })
  if (at !== undefined && at >= 0) return at
  context.addIssue({ code: 'custom', message: 'must be a moment since 1970 in ISO 8601, such as 2026-11-21T00:00:00Z' })
  return z.NEVER
}

export const Resolution = z.enum(['hourly', 'daily', 'weekly']).meta({
  description: 'Length of a bucket; all begin on boundaries of UTC, weeks on Monday',
})
export type Resolution = z.infer<typeof Resolution>

const period = {
  start: QueryTime.optional().meta({ description: 'Begin of the period; a day before its end when left out' }),
  end: QueryTime.optional().meta({ description: 'End of the period, itself not in it; now when left out' }),
}

export const PeerTrafficQuery = z.strictObject({ ...period, resolution: Resolution.default('hourly') })

export const TrafficQuery = z.strictObject({
  ...period,
  resolution: Resolution.default('hourly'),
  interface: plainText(64).optional().meta({ description: 'Only what went through this interface' }),
})
export type TrafficQuery = z.infer<typeof TrafficQuery>

export const TopTrafficQuery = z.strictObject({
  ...period,
  interface: plainText(64).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
})
export type TopTrafficQuery = z.infer<typeof TopTrafficQuery>

const bytes = { rx_bytes: wholeNumber, tx_bytes: wholeNumber }

/** Traffic of one bucket of time. */
const TrafficPoint = z
  .object({ time: Timestamp.meta({ description: 'Begin of the bucket' }), ...bytes })
  .meta({ id: 'TrafficPoint' })

const series = {
  start: Timestamp,
  end: Timestamp,
  resolution: Resolution,
  points: z
    .array(TrafficPoint)
    .meta({ description: 'Every bucket the period touches, whole, oldest first; empty ones are zero' }),
  totals: z
    .object({
      ...bytes,
      average_rate: z
        .number()
        .min(0)
        .meta({ description: 'Bytes a second both ways, over the points’ time until now' }),
      peak_rate: z
        .number()
        .min(0)
        .meta({ description: 'Bytes a second both ways in the busiest `peak_seconds` of the points’ time' }),
      peak_seconds: wholeNumber.meta({ description: '300 for the last 30 days, 3600 for the last year, 86400 before' }),
      active_seconds: wholeNumber.meta({ description: 'How long peers were connected, all together' }),
    })
    .meta({ id: 'TrafficTotals' }),
}

/** Traffic in a period, in buckets. Bytes are seen from the server: rx came from peers. */
export const PeerTraffic = z.object({ peer_id: z.string(), ...series }).meta({ id: 'PeerTraffic' })
export type PeerTraffic = z.infer<typeof PeerTraffic>

export const Traffic = z.object({ interface: z.string().nullable(), ...series }).meta({ id: 'Traffic' })
export type Traffic = z.infer<typeof Traffic>

export const TopTraffic = z
  .object({
    start: Timestamp,
    end: Timestamp,
    peers: z.array(
      z.object({ peer_id: z.string(), name: z.string(), interface: z.string(), ...bytes, total_bytes: wholeNumber }),
    ),
  })
  .meta({ id: 'TopTraffic' })
export type TopTraffic = z.infer<typeof TopTraffic>
