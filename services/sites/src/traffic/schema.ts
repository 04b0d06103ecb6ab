import { z } from 'zod'

const count = z.int().nonnegative()
const milliseconds = z.number().nonnegative().nullable().meta({ description: 'Milliseconds; null without requests' })
const timestamp = z.iso.datetime()

const numbers = {
  requests: count,
  bytes: z.number().nonnegative(),
  status: z
    .object({ '1xx': count, '2xx': count, '3xx': count, '4xx': count, '5xx': count })
    .meta({ id: 'StatusClasses' }),
  p50_ms: milliseconds,
  p95_ms: milliseconds,
}

export const TrafficNumbers = z.object(numbers).meta({ id: 'TrafficNumbers' })
export type TrafficNumbers = z.infer<typeof TrafficNumbers>

const point = z.object({ at: timestamp, ...numbers }).meta({ id: 'TrafficPoint' })

const range = z.enum(['1h', '6h', '24h', '7d', '30d'])
export type TrafficRange = z.infer<typeof range>

export const TrafficQuery = z.object({
  range: range.default('24h').meta({ description: 'Points are minutes up to 6h, then hours' }),
})

const spanned = {
  range,
  step_seconds: z.int(),
  totals: TrafficNumbers,
  points: z.array(point).meta({ description: 'Oldest first, without gaps; the last one is not over' }),
}

/** The numbers of a range, in total and by point. */
export type TrafficSpan = { [Member in keyof typeof spanned]: z.infer<(typeof spanned)[Member]> }

/** All sites together. */
export const TrafficOverview = z
  .object({
    ...spanned,
    requests_per_second: z.number().nonnegative().meta({ description: 'Mean of the last ten seconds' }),
    sites: z
      .array(z.object({ site_id: z.int(), last_seen: timestamp.nullable(), totals: TrafficNumbers }))
      .meta({ description: 'The busiest ten' }),
    elsewhere: TrafficNumbers.meta({ description: 'Requests for hosts that no site has' }),
  })
  .meta({ id: 'TrafficOverview' })
export type TrafficOverview = z.infer<typeof TrafficOverview>

const topEntry = z
  .object({
    key: z.string().meta({ description: 'Text of a visitor; nothing in it is to be trusted' }),
    count,
    error: count.meta({ description: 'The count is at most so much too high' }),
  })
  .meta({ id: 'TopEntry' })

export const SiteTraffic = z
  .object({
    site_id: z.int(),
    ...spanned,
    last_seen: timestamp.nullable(),
    top_paths: z.array(topEntry),
    top_clients: z.array(topEntry),
    listed_since: timestamp.meta({ description: 'The lists begin anew every day and with the service' }),
  })
  .meta({ id: 'SiteTraffic' })
export type SiteTraffic = z.infer<typeof SiteTraffic>

/** Time of the last request to each site. */
export const LastSeen = z
  .object({ sites: z.array(z.object({ site_id: z.int(), last_seen: timestamp })) })
  .meta({ id: 'LastSeen' })
export type LastSeen = z.infer<typeof LastSeen>

/** The site that a path names. */
export const SiteIdParams = z.object({ id: z.coerce.number().int().positive().max(2_147_483_647) })

export const LiveQuery = z.object({
  site_id: z.coerce.number().int().positive().max(2_147_483_647).optional().meta({ description: 'Only this site' }),
})

/** A request as it happens. */
export const LiveRequest = z
  .object({
    request: z
      .object({
        at: timestamp,
        site_id: z.int().nullable(),
        host: z.string(),
        method: z.string(),
        path: z.string(),
        status: z.int(),
        bytes: z.number(),
        duration_ms: z.number(),
        client: z.string(),
      })
      .nullable()
      .meta({ description: 'Null in the first event, which says that the stream is on. Texts are those of visitors.' }),
    skipped: count.meta({ description: 'Requests left out since the last event; at most 50 a second are shown' }),
  })
  .meta({ id: 'LiveRequest' })
export type LiveRequest = z.infer<typeof LiveRequest>

/** State of one upstream of the sites. */
export const UpstreamState = z
  .object({
    address: z.string(),
    site_ids: z.array(z.int()),
    up: z.boolean().nullable().meta({ description: 'Whether a connection succeeds; null when it may not be tried' }),
    reason: z.string().nullable(),
    fails: count.nullable(),
    num_requests: count.nullable(),
    latency_ms: z.number().nonnegative().nullable(),
    checked_at: timestamp,
  })
  .meta({ id: 'UpstreamState' })
export type UpstreamState = z.infer<typeof UpstreamState>

export const UpstreamStates = z.object({ upstreams: z.array(UpstreamState) }).meta({ id: 'UpstreamStates' })
