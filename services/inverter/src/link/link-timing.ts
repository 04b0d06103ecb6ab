/** Durations and bounds of a link; milliseconds but for the counts. */
export interface LinkTiming {
  readonly connectMs: number
  /** From the moment a request left until its answer. */
  readonly readMs: number
  readonly queueWaitMs: number
  /** Requests that wait. */
  readonly queueLength: number
  /** Without a byte for so long, a long answer of unclear length has ended. */
  readonly idleGapMs: number
  /** First and longest wait between attempts to connect. */
  readonly backOffMs: readonly [number, number]
  /** Time in which nothing is sent after the bootloader announced itself. */
  readonly cooldownMs: number
  /** Time for the bytes of a request to leave. */
  readonly drainMs: number
  /** Silence after a damaged answer before the question is repeated. */
  readonly repeatMs: number
}

/** Default timing of a link. */
export const defaultTiming: LinkTiming = {
  connectMs: 3000,
  readMs: 5000,
  queueWaitMs: 10_000,
  queueLength: 32,
  idleGapMs: 80,
  backOffMs: [1000, 60_000],
  cooldownMs: 300_000,
  drainMs: 5000,
  repeatMs: 250,
}
