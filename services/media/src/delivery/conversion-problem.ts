import { Problem } from '../problems.ts'
import { MediaFailure } from '../tools/media-failure.ts'

/** A conversion that failed, as the caller is told; anything else as it is. */
export function conversionProblem(error: unknown): unknown {
  return error instanceof MediaFailure ? new Problem(500, error.message, { cause: error }) : error
}
