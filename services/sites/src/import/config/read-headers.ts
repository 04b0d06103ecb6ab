import type { HeaderChange } from '../../sites/guard-schema.ts'
import type { PathRoute } from '../../sites/schema.ts'
import { plainText } from './caddy-values.ts'
import type { PathCondition } from './conditions.ts'
import { at, giveUp, itemsOf, type JsonLocation, Members, membersOf, textOf, textsOf } from './json-location.ts'
import type { Step } from './host-routes.ts'

/** Changes of one handler's headers, in the order in which they are done. */
export interface HeaderReading {
  readonly request: readonly HeaderChange[]
  readonly response: readonly HeaderChange[]
  /** True when the changes of the answer wait until it is written. Then those of a later handler come first. */
  readonly isDeferred: boolean
}

/** Reads a handler `headers`. */
export function readHeaderHandler(handler: JsonLocation): HeaderReading {
  const members = new Members(handler, 'handler')
  const request = members.take('request')
  const response = members.take('response')
  members.refuseOthers('a way to change headers that sites do not have')
  const isDeferred =
    response !== undefined && (at(response, 'deferred')?.value === true || at(response, 'require') !== undefined)
  return {
    request: request ? readOperations(new Members(request)) : [],
    response: response ? readResponse(new Members(response)) : [],
    isDeferred,
  }
}

/** Reads operations on the headers of an answer, with the condition that a header is not there yet. */
export function readResponse(members: Members): HeaderChange[] {
  members.skip('deferred')
  const require = members.take('require')
  const changes = readOperations(members)
  if (require === undefined) return changes
  const [first, ...more] = changes
  const isDefault = more.length === 0 && first?.op === 'set' && isMissing(require, first.name)
  return isDefault && first ? [{ ...first, op: 'default' }] : giveUp(require, 'a condition on the answer')
}

function isMissing(require: JsonLocation, name: string): boolean {
  const value = require.value as { headers?: Record<string, unknown> }
  const headers = value.headers
  const keys = Object.keys(headers ?? {})
  return Object.keys(value).length === 1 && keys.length === 1 && keys[0] === name && headers?.[name] === null
}

/** Reads `add`, `set` and `delete`, in the order in which Caddy does them. */
export function readOperations(members: Members): HeaderChange[] {
  const changes = [
    ...readValues(members.take('add'), 'add'),
    ...readValues(members.take('set'), 'set'),
    ...readDeletions(members.take('delete')),
  ]
  members.refuseOthers('a way to change headers that sites do not have')
  return changes
}

function readValues(operations: JsonLocation | undefined, op: 'add' | 'set'): HeaderChange[] {
  return membersOf(operations).flatMap(([name, values]) => {
    if (textsOf(values) === undefined || /[{}]/.test(name)) giveUp(values, 'a header that sites cannot have')
    return itemsOf(values).map((value, index): HeaderChange => ({
      op: index === 0 ? op : 'add',
      name,
      value: plainText(value),
    }))
  })
}

function readDeletions(names: JsonLocation | undefined): HeaderChange[] {
  return itemsOf(names).map((location) => {
    const name = textOf(location)
    if (name === undefined || /[{}*]/.test(name)) giveUp(location, 'headers that are deleted by a pattern')
    return { op: 'delete', name, value: '' }
  })
}

/** Headers of the answer that are changed on some paths only. */
export interface PathHeaders {
  readonly location: JsonLocation
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
  for (const { location, paths, response } of all) {
    const isSame = response.some(({ name }) => changed.has(name.toLowerCase()))
    if (isSame) giveUp(location, 'a header that is changed for some paths and for all')
    for (const { match, path } of paths) {
      if ([...site.paths, ...made].some((other) => overlap(other.path, path)))
        giveUp(location, 'headers for paths that are answered otherwise as well')
      made.push({ ...site.rest, match, path, response_headers: [...site.rest.response_headers, ...response] })
    }
  }
  return made
}

function overlap(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => `${path.replace(/\/+$/, '')}/`) as [string, string]
  return first.startsWith(second) || second.startsWith(first)
}
