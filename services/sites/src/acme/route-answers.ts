import { notFound } from '../problems.ts'

/** The value; throws that there is no such thing without one. */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw notFound(what)
  return value
}

/** The answer to a deletion; throws that there is no such thing when nothing was deleted. */
export function removed(isRemoved: boolean, what: string) {
  if (!isRemoved) throw notFound(what)
  return { status: 'deleted' as const }
}
