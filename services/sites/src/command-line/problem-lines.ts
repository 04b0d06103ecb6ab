import type { Problem } from '../problems.ts'

/** The reasons of a problem, a line each, after the name of the member that each is about. */
export function problemLines({ body: { detail, errors = [] } }: Problem, nameOf = (field: string) => field): string[] {
  if (errors.length === 0) return [detail]
  return errors.map(({ field = '', message }) => (field === '' ? message : `${nameOf(field)}: ${message}`))
}
