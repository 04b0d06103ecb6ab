import { z } from 'zod'
import { pageQuery, plainText, Timestamp, wholeNumber } from '../envelope.ts'
import { typeNumber } from '../dns/wire/code-names.ts'

export const QueryStatus = z.enum(['allowed', 'blocked'])
export type QueryStatus = z.infer<typeof QueryStatus>

/** Reason for the status of a query. */
export const QueryReason = z
  .enum(['none', 'off', 'rule', 'list', 'special', 'private_answer', 'local', 'address'])
  .meta({
    description:
      'Why: nothing matched; filtering is off, paused, or off for the peer; a custom rule; a list; a name that is always denied; an answer with a private address; a name of the local network that no upstream is asked for; an address in the answer that a list is about',
  })
export type QueryReason = z.infer<typeof QueryReason>

const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

/** A DNS type as people write it, as its number. */
export const DnsType = z
  .string()
  .max(16)
  .transform((text, context) => {
    const number = typeNumber(text)
    if (number === undefined) context.addIssue('must be a DNS type, such as AAAA or TYPE65')
    return number ?? 0
  })

/** Modifiers of a list's rule. */
export const Modifiers = z.array(z.string()).meta({
  description:
    'Modifiers of the list’s rule that made it hold or gave the answer: dnstype, denyallow, client (ctag), dnsrewrite',
})

const filter = {
  client: plainText(128).optional().meta({ description: 'Name, id or address of a peer; `unknown` for no peer' }),
  domain: plainText(255).optional().meta({ description: 'Part of the name, upper and lower case alike' }),
  status: QueryStatus.optional(),
  type: DnsType.optional().meta({ description: 'DNS type: a name such as AAAA, or a number' }),
  reason: QueryReason.optional(),
  start: time.optional().meta({ description: 'From this time on' }),
  end: time.optional().meta({ description: 'Before this time' }),
}

export const QueryFilterQuery = z.strictObject(filter)
export type QueryFilterQuery = z.infer<typeof QueryFilterQuery>

export const QueryListQuery = z.strictObject({
  ...filter,
  ...pageQuery(100),
  before: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'Only queries before the one with this id: a place that stays while new ones come' }),
})

export const LoggedQueryRecord = z
  .object({
    id: wholeNumber.meta({ description: 'Grows with each query' }),
    timestamp: Timestamp,
    client: z
      .string()
      .nullable()
      .meta({ description: 'Name of the peer; its last name when it is gone; null for no peer' }),
    client_id: z.string().nullable(),
    client_ip: z.string().nullable(),
    domain: z.string().meta({ description: 'Lower case, no final dot' }),
    type: z.string(),
    status: QueryStatus,
    reason: QueryReason,
    rule: z.string().nullable().meta({ description: 'The rule that decided; null when none did or it is gone' }),
    list_id: z.string().nullable(),
    list: z.string().nullable(),
    modifiers: Modifiers,
    rcode: z.string(),
    cached: z.boolean(),
    cname: z.boolean().meta({ description: 'Decided by a name that the answer leads to' }),
    upstream: z.string().nullable(),
    duration_ms: z.number().min(0),
  })
  .meta({ id: 'LoggedQuery' })
export type LoggedQueryRecord = z.infer<typeof LoggedQueryRecord>

export const StatisticsQuery = z.strictObject({
  hours: z.coerce.number().int().min(1).max(720).default(24).meta({ description: 'The current hour or day included' }),
  bucket: z.enum(['hour', 'day']).optional().meta({ description: 'hour up to 72 hours, day for more' }),
})

const domains = z
  .array(z.object({ domain: z.string(), count: wholeNumber }))
  .meta({ description: 'At most ten; administrators only' })

export const DnsStatistics = z
  .object({
    period_hours: wholeNumber,
    total_queries: wholeNumber,
    blocked_queries: wholeNumber,
    allowed_queries: wholeNumber,
    block_percentage: z.number().min(0).max(100),
    unique_domains: wholeNumber,
    unique_clients: wholeNumber,
    cache_hit_percentage: z.number().min(0).max(100).meta({ description: 'Of the queries that were not blocked' }),
    avg_response_ms: z.number().min(0),
    blocklist_size: wholeNumber,
    blocklist_updated_at: Timestamp.nullable(),
    is_running: z.boolean(),
    unavailable: z.boolean().meta({ description: 'The figures could not be had; `reason` says why' }),
    reason: z.string().nullable(),
    top_domains: domains,
    top_blocked: domains,
    top_clients: z
      .array(z.object({ client: z.string().nullable(), total: wholeNumber, blocked: wholeNumber }))
      .meta({ description: 'At most ten; administrators only' }),
    query_types: z.record(z.string(), wholeNumber).meta({ description: 'By type; the rarest as OTHER' }),
    series: z
      .array(z.object({ time: Timestamp, total: wholeNumber, blocked: wholeNumber }))
      .meta({ description: 'By hour or day (UTC), oldest first; the last is not over yet' }),
  })
  .meta({ id: 'DnsStatistics' })
export type DnsStatistics = z.infer<typeof DnsStatistics>

export const PurgeBody = z
  .strictObject({
    client: plainText(128).optional().meta({ description: 'Name, id or address of a peer; everyone when left out' }),
    before: time.optional().meta({ description: 'Only queries before this time; all when left out' }),
  })
  .meta({ id: 'QueryLogPurge' })

export const Purged = z.object({ client: z.string().nullable(), before: Timestamp }).meta({ id: 'QueryLogPurged' })
