/** Rows as they are stored. Times are milliseconds since the epoch, switches 0 or 1. */
export interface UptimeTables {
  uptime_subjects: SubjectRow
  uptime_days: DayRow
  uptime_points: PointRow
  uptime_incidents: IncidentRow
  maintenance_windows: MaintenanceWindowRow
  status_pages: StatusPageRow
}

/** What is known of a site or an upstream; `subject` is `site:12` or `upstream:10.0.0.5:8080`. */
export interface SubjectRow {
  subject: string
  state: 'unknown' | 'up' | 'down'
  /** Time since which the state holds; null while it is unknown. */
  since: number | null
  /** Wall time up to which time was counted: no moment counts twice, however the clock jumps. */
  credited_until: number
  checked_at: number | null
  latency_ms: number | null
  /** JSON of `CheckFailure` of the last check; null when it was good. */
  failure: string | null
}

/** Counts of checks. */
export interface CheckCounts {
  checks: number
  failed: number
  /** Sum of the latencies of good checks, milliseconds. */
  latency_total: number
  latency_count: number
  latency_max: number
}

/** A day in UTC: what was observed of it. The rest was not observed. */
export interface DayRow extends CheckCounts {
  subject: string
  /** Days since the epoch. */
  day: number
  up_ms: number
  down_ms: number
  maintenance_ms: number
}

/** Checks of fifteen minutes. */
export interface PointRow extends CheckCounts {
  subject: string
  starts_at: number
}

/** A time for which a subject was down. */
export interface IncidentRow {
  id: string
  subject: string
  began_at: number
  /** Null while it goes on. */
  ended_at: number | null
  /** Observed time, by the monotonic clock. */
  lasted_ms: number
  /** JSON of `CheckFailure`. */
  failure: string
}

/** A planned time in which sites are not checked. */
export interface MaintenanceWindowRow {
  id: string
  name: string
  /** JSON of site ids; null for all sites. */
  site_ids: string | null
  starts_at: number
  ends_at: number
  repeats: 'never' | 'weekly'
  /** IANA name: a weekly window begins at the same time of the day there. */
  time_zone: string
  created_at: number
}

/** A page that shows the state of chosen sites. */
export interface StatusPageRow {
  slug: string
  title: string
  description: string
  is_public: number
  /** JSON of `StatusPageSite[]`. */
  sites: string
  created_at: number
  updated_at: number
}

/** Every table of this folder. */
export const uptimeTableNames = [
  'uptime_subjects',
  'uptime_days',
  'uptime_points',
  'uptime_incidents',
  'maintenance_windows',
  'status_pages',
] as const satisfies readonly (keyof UptimeTables)[]
