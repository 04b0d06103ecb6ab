import { conversionProblem } from '../delivery/derived-file.ts'
import { conflict, invalid, notFound, unavailable, upstream, waitedTooLong } from '../problems.ts'
import { SeparationPaused } from './separation-record.ts'
import { LeaseLost } from './split-lease.ts'
import { StemServiceError } from './stem-service-error.ts'

/** The job, or its file, was deleted while its stems were made. */
export class JobGone extends Error {
  override readonly name = 'JobGone'
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the problem for a key that was not stored. */
export function signInProblem(error: unknown): unknown {
  if (!(error instanceof StemServiceError)) return error
  const { kind } = error
  if (kind === 'invalid-key') return invalid('activation_key is not accepted by the stem service', kind)
  if (kind === 'plan') return invalid('activation_key is good, but its plan does not include this use', kind)
  const detail = `${sentence(error.message)}; the key was not stored`
  if (kind === 'timeout') return waitedTooLong(detail)
  return kind === 'unreachable' || kind === 'rate-limited' ? unavailable(detail) : upstream(detail, error)
}

/** Returns the problem for a failed separation. */
export function separationProblem(error: unknown): unknown {
  if (error instanceof StemServiceError) return serviceProblem(error)
  if (error instanceof JobGone) return notFound('job any more')
  if (error instanceof LeaseLost) return conflict('Another process continues this separation; try again in a moment')
  if (error instanceof SeparationPaused)
    return unavailable('The service is stopping; try again and the separation continues at no cost', 5)
  return conversionProblem(error)
}

function serviceProblem(error: StemServiceError): unknown {
  const { kind } = error
  const detail = sentence(error.message)
  switch (kind) {
    case 'invalid-key':
      return invalid(`${detail} any more; store a new one`, kind)
    case 'plan':
    case 'out-of-minutes':
    case 'exceeded-duration':
    case 'exceeded-size':
      return invalid(detail, kind)
    case 'timeout':
      return waitedTooLong(`${detail}; try again and it continues at no further cost`)
    case 'rate-limited':
      return unavailable(detail, 60)
    case 'unreachable':
    case 'upstream':
    case 'expired':
    case 'already-started':
    case 'cancelled':
    case 'failed':
      return upstream(detail, error)
  }
}
