import { z } from 'zod'

const Timestamp = z.iso.datetime()

/** Why a check failed, in words. */
export const CheckFailure = z
  .object({
    kind: z.enum(['caddy', 'connection', 'tls', 'certificate', 'timeout', 'closed', 'status', 'text', 'upstream']),
    asked: z.string().meta({ description: 'What was requested, and where' }),
    came_back: z.string().meta({ description: 'What came back' }),
    advice: z.string().meta({ description: 'What to do' }),
  })
  .meta({ id: 'CheckFailure' })
export type CheckFailure = z.infer<typeof CheckFailure>

/** State of a site or an upstream: off without checks, maintenance while they are paused, unknown before the first result. */
export const UptimeState = z.enum(['up', 'down', 'unknown', 'maintenance', 'off']).meta({ id: 'UptimeState' })
export type UptimeState = z.infer<typeof UptimeState>

/** A day in UTC. The shares are of the whole day, or of what has passed of today; the rest was not observed. */
export const UptimeDay = z
  .object({
    date: z.iso.date(),
    up_seconds: z.number().nonnegative(),
    down_seconds: z.number().nonnegative(),
    maintenance_seconds: z.number().nonnegative(),
    unobserved_seconds: z.number().nonnegative(),
    uptime: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({ description: 'Up of up and down; null when nothing was observed' }),
    latency_ms: z.number().nonnegative().nullable().meta({ description: 'Average of the good checks' }),
  })
  .meta({ id: 'UptimeDay' })
export type UptimeDay = z.infer<typeof UptimeDay>

/** Share of the observed time in which something was up; null when nothing was observed. */
const Share = z.number().min(0).max(1).nullable()

/** Uptime of the last 24 hours by days, 30 and 90 days. Maintenance and what was not observed do not count. */
export const UptimeShares = z
  .object({ today: Share, days_7: Share, days_30: Share, days_90: Share })
  .meta({ id: 'UptimeShares' })
export type UptimeShares = z.infer<typeof UptimeShares>

/** A site in the overview. */
export const SiteUptime = z
  .object({
    site_id: z.int(),
    site_name: z.string(),
    state: UptimeState,
    since: Timestamp.nullable(),
    checked_at: Timestamp.nullable(),
    latency_ms: z.number().nonnegative().nullable(),
    failure: CheckFailure.nullable().meta({ description: 'Of the last check; null when it was good' }),
    uptime: UptimeShares,
    bar: z.array(Share).meta({ description: 'Uptime of the last 30 days, oldest first' }),
  })
  .meta({ id: 'SiteUptime' })
export type SiteUptime = z.infer<typeof SiteUptime>

/** All sites with their counts by state. */
export const UptimeOverview = z
  .object({
    counts: z.record(UptimeState, z.int()),
    sites: z.array(SiteUptime).meta({ description: 'Those that are down first' }),
    total: z.int().meta({ description: 'Sites that match the query' }),
  })
  .meta({ id: 'UptimeOverview' })
export type UptimeOverview = z.infer<typeof UptimeOverview>

export const UptimeQuery = z.object({
  state: UptimeState.optional(),
  search: z.string().max(200).optional(),
  ids: z
    .string()
    .regex(/^\d{1,9}(?:,\d{1,9}){0,99}$/, 'must be ids of sites, separated by commas')
    .optional()
    .meta({ description: 'Only these sites, at most 100' }),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
})
export type UptimeQuery = z.infer<typeof UptimeQuery>

/** A time for which a site or an upstream was down. */
export const Incident = z
  .object({
    id: z.string(),
    subject: z.string().meta({ description: '`site`, or the address of an upstream' }),
    began_at: Timestamp,
    ended_at: Timestamp.nullable().meta({ description: 'Null while it goes on' }),
    lasted_seconds: z.number().nonnegative().meta({ description: 'Observed time of it, whatever the clock did' }),
    failure: CheckFailure,
  })
  .meta({ id: 'Incident' })
export type Incident = z.infer<typeof Incident>

/** One of the last checks since the service was started. */
export const RecentCheck = z
  .object({
    at: Timestamp,
    is_good: z.boolean(),
    latency_ms: z.number().nonnegative().nullable(),
    came_back: z.string(),
  })
  .meta({ id: 'RecentCheck' })
export type RecentCheck = z.infer<typeof RecentCheck>

/** Checks of fifteen minutes. */
export const UptimePoint = z
  .object({
    at: Timestamp,
    checks: z.int(),
    failed: z.int(),
    latency_ms: z.number().nonnegative().nullable(),
    latency_max_ms: z.number().nonnegative().nullable(),
  })
  .meta({ id: 'UptimePoint' })
export type UptimePoint = z.infer<typeof UptimePoint>

/** An upstream of a site, checked directly by an empty connection. */
export const UpstreamUptime = z
  .object({
    address: z.string(),
    state: UptimeState,
    since: Timestamp.nullable(),
    latency_ms: z.number().nonnegative().nullable(),
    failure: CheckFailure.nullable(),
    uptime: UptimeShares,
  })
  .meta({ id: 'UpstreamUptime' })
export type UpstreamUptime = z.infer<typeof UpstreamUptime>

/** A name of a site at a Caddy server, with its last check since the start of the service. */
export const CheckedName = z
  .object({
    name: z.string(),
    server: z.string().meta({ description: 'Name of the Caddy server' }),
    what: z.enum(['request', 'handshake']).meta({
      description: 'The first name is requested at the interval of the site; of others the TLS handshake is checked',
    }),
    checked_at: Timestamp.nullable(),
    latency_ms: z.number().nonnegative().nullable(),
    failure: CheckFailure.nullable(),
  })
  .meta({ id: 'CheckedName' })
export type CheckedName = z.infer<typeof CheckedName>

/** Everything about the checks of one site. */
export const SiteUptimeDetail = z
  .object({
    ...SiteUptime.shape,
    asked: z.string().nullable().meta({ description: 'What the check requests; null when the site is not checked' }),
    off_reason: z.string().nullable().meta({ description: 'Why the site is not checked' }),
    days: z.array(UptimeDay).meta({ description: 'The last 90 days, oldest first' }),
    points: z.array(UptimePoint).meta({ description: 'The last 48 hours, oldest first' }),
    names: z.array(CheckedName).meta({ description: 'Empty while the site is not checked' }),
    unchecked_names: z.string().nullable().meta({ description: 'Which other names are not checked, and why' }),
    recent: z.array(RecentCheck).meta({ description: 'Newest first' }),
    incidents: z.array(Incident).meta({ description: 'Newest first, at most 50' }),
    upstreams: z.array(UpstreamUptime),
  })
  .meta({ id: 'SiteUptimeDetail' })
export type SiteUptimeDetail = z.infer<typeof SiteUptimeDetail>

/** Result of a check that was asked for. It is shown and not counted. */
export const CheckResult = z
  .object({
    is_good: z.boolean(),
    asked: z.string(),
    came_back: z.string(),
    advice: z.string(),
    latency_ms: z.number().nonnegative().nullable(),
  })
  .meta({ id: 'CheckResult' })
export type CheckResult = z.infer<typeof CheckResult>
