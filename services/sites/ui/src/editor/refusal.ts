import { ApiError, type FieldProblem } from '@hearth/ui'
import type { Issue } from './issues.ts'

/** Returns the issues in a refused call; none for other errors. */
export function issuesOf(error: unknown): Issue[] {
  if (!(error instanceof ApiError) || error.status !== 422) return []
  return error.fields
    .filter(({ path }) => path !== '')
    .map(({ path, message }: FieldProblem) => ({ field: path === 'domain' ? 'domains' : path, message }))
}

/** Returns Caddy's own error message in a refused call. */
export function caddyWordsOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { errors } = error.details
  if (!Array.isArray(errors)) return undefined
  for (const part of errors as unknown[])
    if (typeof part === 'object' && part !== null && 'caddy_error' in part && typeof part.caddy_error === 'string')
      return part.caddy_error
  return undefined
}
