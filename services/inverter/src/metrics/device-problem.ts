import { LinkError, type LinkFailure } from '../link/link-errors.ts'
import { Problem, type ProblemCode } from '../problems.ts'
import { DecodeError } from '../protocol/wire-value.ts'
import type { MetricValue } from './schema.ts'

/** Code and sentence of the API for each failure. */
const problems: Record<LinkFailure, readonly [code: ProblemCode, sentence: string]> = {
  unreachable: ['device_unreachable', 'The device cannot be reached'],
  timeout: ['device_timeout', 'The device did not answer within 5 seconds'],
  protocol: ['protocol_error', 'The device sent an invalid answer'],
  'queue-full': ['queue_full', 'Too many requests wait for the device'],
  'queue-timeout': ['queue_timeout', 'The request waited too long for the device'],
  maintenance: ['device_maintenance', 'The device is in maintenance; nothing is sent to it'],
  closed: ['device_unreachable', 'The connection to the device was closed'],
}

/** The API's problem behind a failed exchange with a device; other errors come back as they are. */
export function deviceProblem(error: unknown): unknown {
  if (error instanceof DecodeError)
    return new Problem('protocol_error', `The device sent an invalid answer: ${error.message}`, { cause: error })
  if (!(error instanceof LinkError)) return error
  const isBusy = error.failure === 'queue-full' || error.failure === 'queue-timeout'
  const [code, sentence] = problems[error.failure]
  return new Problem(code, sentence, {
    cause: error,
    retryAfterSeconds: error.retryAfterSeconds ?? (isBusy ? 2 : undefined),
  })
}

/** Returns true if reading failed because a float register holds NaN or an infinity, as opposed to a device that fails. */
export const holdsNoNumber = (error: unknown): boolean =>
  error instanceof Problem && error.cause instanceof DecodeError && error.cause.code === 'invalid_float'

/** Reason why a value could not be refreshed, as in `stale_reason`. */
export type StaleReason = NonNullable<MetricValue['stale_reason']>

const staleReasons: ReadonlySet<string> = new Set(Object.values(problems).map(([code]) => code))

/** Returns the reason if an older value may replace the one that could not be read; undefined for errors of another kind. */
export function staleReasonOf(error: unknown): StaleReason | undefined {
  return error instanceof Problem && staleReasons.has(error.code) ? (error.code as StaleReason) : undefined
}
