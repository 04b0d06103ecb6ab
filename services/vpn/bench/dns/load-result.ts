/** Result of the load generator. Latencies in microseconds. */
export interface LoadResult {
  readonly qps: number
  readonly sent: number
  readonly received: number
  /** Queries without an answer within two seconds. */
  readonly lost: number
  /** Answers that are 0.0.0.0 or ::. */
  readonly blockedShare: number
  /** SERVFAIL and REFUSED. */
  readonly failedShare: number
  /** NXDOMAIN. */
  readonly missingShare: number
  readonly p50: number
  readonly p99: number
  /** The middle one of the p99 of each second: what else happens on the machine now and then is not in it. */
  readonly usualP99: number
  /** Of the generator itself. */
  readonly cpuSeconds: number
  /** Position in the file where it stopped. */
  readonly next: number
}
