import { LinkError, type LinkFailure } from '../link/link-errors.ts'
import { Problem, type ProblemCode } from '../problems.ts'
import { DecodeError } from '../protocol/wire-value.ts'
import type { MetricValue } from './schema.ts'

const codes: Record<LinkFailure, ProblemCode> = {
  unreachable: 'device_unreachable',
  timeout: 'device_timeout',
  protocol: 'protocol_error',
  'queue-full': 'queue_full',
  'queue-timeout': 'queue_timeout',
  maintenance: 'device_maintenance',
  closed: 'device_unreachable',
}

const sentences: Record<LinkFailure, string> = {
  unreachable: 'The device cannot be reached',
  timeout: 'The device did not answer within 5 seconds',
  protocol: 'The device sent an invalid answer',
  'queue-full': 'Too many requests wait for the device',
  'queue-timeout': 'The request waited too long for the device',
  maintenance: 'The device is in maintenance; nothing is sent to it',
  closed: 'The connection to the device was closed',
}

/** The API's problem behind a failed exchange with a device; other errors come back as they are. */
export function deviceProblem(error: unknown): unknown {
  if (error instanceof DecodeError)
    return new Problem('protocol_error', `The device sent an invalid answer: ${error.message}`, { cause: error })
  if (!(error instanceof LinkError)) return error
  const isBusy = error.failure === 'queue-full' || error.failure === 'queue-timeout'
  return new Problem(codes[error.failure], sentences[error.failure], {
    cause: error,
    retryAfterSeconds: error.retryAfterSeconds ?? (isBusy ? 2 : undefined),
  })
}

/** Returns true if reading failed because a float register holds NaN or an infinity, as opposed to a device that fails. */
export const holdsNoNumber = (error: unknown): boolean =>
  error instanceof Problem && error.cause instanceof DecodeError && error.cause.code === 'invalid_float'

/** Reason why a value could not be refreshed, as in `stale_reason`. */
export type StaleReason = NonNullable<MetricValue['stale_reason']>

const staleReasons: ReadonlySet<string> = new Set(Object.values(codes))

/** Returns the reason if an older value may replace the one that could not be read; undefined for errors of another kind. */
export function staleReasonOf(error: unknown): StaleReason | undefined {
  return error instanceof Problem && staleReasons.has(error.code) ? (error.code as StaleReason) : undefined
}
