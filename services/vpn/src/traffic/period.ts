import { badRequest, invalidField } from '../problems.ts'
import { bucketStart, steps } from './bucket.ts'

/** The buckets of one answer, milliseconds since the epoch: from the first one's begin to the last one's end. */
export interface Period {
  /** As asked for. */
  readonly start: number
  readonly end: number
  /** Begin of the first bucket, and end of the last one. */
  readonly from: number
  readonly until: number
  /** Length of a bucket, seconds. */
  readonly seconds: number
}

/** Points of one answer; more is refused. */
export const mostPoints = 10_000

/**
 * The whole buckets that a period touches. Without `end` it ends now, without `start` it is the 24 hours to its end, in as many
 * buckets. Throws 400 for a period that ends before it begins, 422 for one of too many buckets.
 */
export function periodOf(
  asked: { readonly start?: number | undefined; readonly end?: number | undefined },
  seconds: number,
  now: number,
): Period {
  const end = asked.end ?? now
  const start = asked.start ?? Math.min(bucketStart(end, steps.hourly) - 23 * 3_600_000, end - 1)
  if (start >= end) throw badRequest('start must be before end')
  const length = seconds * 1000
  const from = bucketStart(start, seconds)
  const until = bucketStart(end - 1, seconds) + length
  const count = (until - from) / length
  if (count > mostPoints)
    throw invalidField('start', `makes ${count} points; ask for at most ${mostPoints}, or a coarser resolution`)
  return { start, end, from, until, seconds }
}
