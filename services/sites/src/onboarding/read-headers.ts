import type { HeaderChange } from '../sites/guard-schema.ts'
import { plainText } from './caddy-values.ts'
import { giveUp } from './import-report.ts'
import { at, itemsOf, Members, membersOf, textOf, textsOf, type Place } from './json-place.ts'

/** Changes of one handler's headers, in the order in which they are done. */
export interface HeaderReading {
  readonly request: readonly HeaderChange[]
  readonly response: readonly HeaderChange[]
  /** Whether the changes of the answer wait until it is written. Then a later handler's are done first. */
  readonly isDeferred: boolean
}

/** Reads a handler `headers`. */
export function readHeaderHandler(handler: Place): HeaderReading {
  const members = new Members(handler)
  members.skip('handler')
  const request = members.take('request')
  const response = members.take('response')
  for (const place of members.left()) giveUp(place, 'a way to change headers that sites do not have')
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

function isMissing(require: Place, name: string): boolean {
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
  for (const place of members.left()) giveUp(place, 'a way to change headers that sites do not have')
  return changes
}

function readValues(operations: Place | undefined, op: 'add' | 'set'): HeaderChange[] {
  return membersOf(operations).flatMap(([name, values]) => {
    if (textsOf(values) === undefined || /[{}]/.test(name)) giveUp(values, 'a header that sites cannot have')
    return itemsOf(values).map((value, index): HeaderChange => ({
      op: index === 0 ? op : 'add',
      name,
      value: plainText(value),
    }))
  })
}

function readDeletions(names: Place | undefined): HeaderChange[] {
  return itemsOf(names).map((place) => {
    const name = textOf(place)
    if (name === undefined || /[{}*]/.test(name)) giveUp(place, 'headers that are deleted by a pattern')
    return { op: 'delete', name, value: '' }
  })
}
