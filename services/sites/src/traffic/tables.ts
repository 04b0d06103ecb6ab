/** Rows as they are stored. Timestamps are milliseconds since the epoch. */
export interface TrafficTables {
  traffic_counts: TrafficCountRow
  traffic_last_seen: LastSeenRow
  traffic_positions: LogPositionRow
}

/** Requests to a site in a minute or an hour. */
export interface TrafficCountRow {
  /** A site, or `everySite` or `noSite`; see `traffic-count.ts`. */
  site_id: number
  /** Seconds: 60 or 3600. */
  span: number
  starts_at: number
  requests: number
  bytes: number
  status_1: number
  status_2: number
  status_3: number
  status_4: number
  status_5: number
  /** Histogram; see `traffic-count.ts`. */
  latency: string
}

export interface LastSeenRow {
  site_id: number
  at: number
}

/** Position up to which a log was read; see `LogPosition`. */
export interface LogPositionRow {
  path: string
  rolled_after: string
  byte_offset: number
  head: string
}

/** Every table of this folder. */
export const trafficTableNames = [
  'traffic_counts',
  'traffic_last_seen',
  'traffic_positions',
] as const satisfies readonly (keyof TrafficTables)[]
