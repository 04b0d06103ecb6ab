import { parseJson } from '@hearth/runtime'
import { isObject } from '../config/json-location.ts'

/** Largest text, characters. */
export const maxZoraxyFile = 524_288

/** A text that holds no rules of Zoraxy; the message says why. */
export class ZoraxyUnreadable extends Error {
  override readonly name = 'ZoraxyUnreadable'
}

/** A value of one of Zoraxy's files. */
export type Definition = Readonly<Record<string, unknown>>

/** The rules and access filters of a text. */
export interface ZoraxyFiles {
  /** Rules for hosts, each as one file of `conf/proxy` has it. */
  readonly rules: readonly Definition[]
  /** Access filters by their ids, each as one file of `conf/access` has it. */
  readonly filters: ReadonlyMap<string, Definition>
}

/** Reads files of Zoraxy that stand one after the other. Throws `ZoraxyUnreadable`. */
export function readZoraxyFiles(text: string): ZoraxyFiles {
  const objects = objectsOf(text)
  const rules = objects.filter((one) => typeof one['RootOrMatchingDomain'] === 'string')
  const filters = objects.filter((one) => typeof one['ID'] === 'string' && 'WhitelistEnabled' in one)
  if (rules.length === 0)
    throw new ZoraxyUnreadable('is no rule of Zoraxy; rules are the files in its folder conf/proxy')
  return { rules, filters: new Map(filters.map((one) => [String(one['ID']), one])) }
}

/** The JSON objects of a text, one after the other or in a list. */
function objectsOf(text: string): Definition[] {
  const objects: Definition[] = []
  let from = 0
  for (const to of endsOf(text)) {
    const value = parseJson(text.slice(from, to))
    if (Array.isArray(value)) objects.push(...value.filter(isObject))
    else if (isObject(value)) objects.push(value)
    else throw new ZoraxyUnreadable(`cannot be read as JSON from line ${lineOf(text, from)} on`)
    from = to
  }
  if (text.slice(from).trim() !== '')
    throw new ZoraxyUnreadable(`cannot be read as JSON from line ${lineOf(text, from)} on`)
  return objects
}

/** Where the values of a text end: after each bracket that closes an outermost one. */
function endsOf(text: string): number[] {
  const ends: number[] = []
  let depth = 0
  for (const { 0: sign, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (sign === '{' || sign === '[') depth += 1
    if (sign !== '}' && sign !== ']') continue
    depth -= 1
    if (depth === 0) ends.push(index + 1)
  }
  return ends
}

const lineOf = (text: string, place: number): number => {
  const begin = place + (/^\s*/.exec(text.slice(place))?.[0].length ?? 0)
  return text.slice(0, begin).split('\n').length
}
