import type { HeaderChange } from '../sites/guard-schema.ts'
import type { PathRoute } from '../sites/schema.ts'
import { at, type Place } from './json-place.ts'
import type { PathCondition } from './conditions.ts'
import { giveUp } from './import-report.ts'
import { readHeaderHandler } from './read-headers.ts'
import type { Step } from './route-steps.ts'

/** Headers of the answer that are changed on some paths only. */
export interface PathHeaders {
  readonly place: Place
  readonly paths: readonly PathCondition[]
  readonly response: readonly HeaderChange[]
}

/** Reads steps that do nothing but change headers of the answer; undefined when they do more. */
export function readPathHeaders(steps: readonly Step[]): HeaderChange[] | undefined {
  const readings = steps.map((step) => {
    const isHeaders = step.kind === 'always' && at(step.handler, 'handler')?.value === 'headers'
    return isHeaders ? readHeaderHandler(step.handler) : undefined
  })
  const [reading, ...more] = readings
  if (reading === undefined || more.length > 0 || reading.request.length > 0) return undefined
  return [...reading.response]
}

/**
 * Paths that are served as the rest is, with the headers that are changed there. Gives up where two would hold for one request, or
 * the site changes the same header, for then the order would count.
 */
export function pathsForHeaders(
  all: readonly PathHeaders[],
  site: { readonly paths: readonly PathRoute[]; readonly changes: readonly HeaderChange[]; readonly rest: PathRoute },
): PathRoute[] {
  const changed = new Set([...site.changes, ...site.rest.response_headers].map(({ name }) => name.toLowerCase()))
  const made: PathRoute[] = []
  for (const { place, paths, response } of all) {
    const isSame = response.some(({ name }) => changed.has(name.toLowerCase()))
    if (isSame) giveUp(place, 'a header that is changed for some paths and for all')
    for (const { match, path } of paths) {
      if ([...site.paths, ...made].some((other) => overlap(other.path, path)))
        giveUp(place, 'headers for paths that are answered otherwise as well')
      made.push({ ...site.rest, match, path, response_headers: [...site.rest.response_headers, ...response] })
    }
  }
  return made
}

function overlap(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => `${path.replace(/\/+$/, '')}/`) as [string, string]
  return first.startsWith(second) || second.startsWith(first)
}
