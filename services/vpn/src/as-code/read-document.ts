import { phraseOfZodIssue } from '@hearth/http'
import type { z } from 'zod'
import { Problem } from '../problems.ts'
import type { AnySection, EntryValue, Fault, FilePath, Wanted } from './section.ts'
import { maxBytes } from './schema.ts'
import { SecretsHeader } from './secrets.ts'
import { formatVersion } from './write-document.ts'
import { readYaml, type TextFault, type YamlText } from './yaml-text.ts'

/** The wanted state of a file. */
export interface WantedState {
  readonly secrets: SecretsHeader | undefined
  /** Sections of the file; those that it does not have are left alone. */
  readonly sections: ReadonlyMap<AnySection, readonly Wanted<EntryValue>[]>
  readonly lineOf: YamlText['lineOf']
}

/** Problems that are named, at most. */
const maxNamed = 100

/** Reads a file of wanted state. Throws a `Problem` that names everything that is wrong, with path and line. */
export function readDocument(text: string, known: readonly AnySection[]): WantedState {
  if (Buffer.byteLength(text) > maxBytes)
    throw refusedFile([{ line: 1, path: '', message: `is larger than ${maxBytes / 1_048_576} MiB` }])
  const yaml = readYaml(text)
  if (!('value' in yaml)) throw refusedFile(yaml)
  const reader = new DocumentReader(yaml, known)
  const state = reader.read()
  if (reader.faults.length > 0) throw refusedFile(withLines(yaml, reader.faults))
  return state
}

/** Adds their lines to faults, in the order of the file. */
export function withLines({ lineOf }: Pick<YamlText, 'lineOf'>, faults: readonly Fault[]): TextFault[] {
  return faults
    .map(({ path, message }) => ({ line: lineOf(path), path: path.join('.'), message }))
    .toSorted((a, b) => a.line - b.line)
}

/** The problem of a file in which something is wrong. */
export function refusedFile(faults: readonly TextFault[]): Problem {
  const [first] = faults
  const others = faults.length <= 1 ? '' : ` (and ${faults.length - 1} more problems)`
  const fields = faults.slice(0, maxNamed).map(({ line, path, message }) => ({ line, path, message, code: 'invalid' }))
  return new Problem('invalid', `${first === undefined ? '' : faultText(first)}${others}; nothing was changed`, {
    details: { fields },
  })
}

/** A fault in one line. */
export const faultText = ({ line, path, message }: TextFault): string =>
  `line ${line}: ${path === '' ? 'the file' : path} ${message}`

class DocumentReader {
  readonly faults: Fault[] = []
  readonly #yaml: YamlText
  readonly #known: ReadonlyMap<string, AnySection>

  constructor(yaml: YamlText, known: readonly AnySection[]) {
    this.#yaml = yaml
    this.#known = new Map(known.map((section) => [section.name, section]))
  }

  read(): WantedState {
    const { value, lineOf } = this.#yaml
    const sections = new Map<AnySection, Wanted<EntryValue>[]>()
    if (!(value instanceof Map)) {
      this.#fault([], `must begin with "format: ${formatVersion}"`)
      return { secrets: undefined, sections, lineOf }
    }
    if (value.get('format') !== formatVersion) {
      this.#fault(['format'], `must be ${formatVersion}: files of other versions cannot be read`)
      return { secrets: undefined, sections, lineOf }
    }
    for (const [name, content] of value as Map<string, unknown>) {
      const section = this.#known.get(name)
      if (section !== undefined) sections.set(section, this.#section(section, content))
      else if (name !== 'format' && name !== 'secrets') this.#fault([name], 'is unknown')
    }
    const header = value.get('secrets') as unknown
    const secrets = header === undefined ? undefined : this.#checked(SecretsHeader, plain(header), ['secrets'])
    if (header === undefined) this.#refuseSecrets(sections)
    return { secrets, sections, lineOf }
  }

  #refuseSecrets(sections: WantedState['sections']): void {
    for (const [{ secret = [] }, entries] of sections)
      for (const { value, path } of entries)
        for (const member of secret)
          if (typeof value[member] === 'string') this.#fault([...path, member], 'needs the member secrets of its file')
  }

  #section(section: AnySection, content: unknown): Wanted<EntryValue>[] {
    const path = [section.name]
    const entries = this.#entries(section, content)
    const keys = new Map<string, number>()
    return entries.flatMap(({ name, value, path: own }) => {
      // The schemas pass over this one name.
      if (value instanceof Map && value.has('__proto__')) this.#fault([...own, '__proto__'], 'is unknown')
      const entry = this.#checked<EntryValue>(section.schema, plain(value ?? new Map()), own)
      const given = section.names === undefined ? name : this.#checked(section.names, name, own)
      if (entry === undefined || given === undefined) return []
      const found = section.identify(entry, given)
      const count = (keys.get(found.key) ?? 0) + 1
      keys.set(found.key, count)
      if (count > 1 && section.isOrdered !== true) this.#fault(own, `stands there twice: ${found.name}`)
      return [{ name: found.name, key: distinct(found.key, count), value: entry, path: own.length === 0 ? path : own }]
    })
  }

  #entries({ form, name }: AnySection, content: unknown): { name: string; value: unknown; path: FilePath }[] {
    const given = content ?? (form === 'list' ? [] : new Map())
    if (form === 'list' ? !Array.isArray(given) : !(given instanceof Map)) {
      this.#fault([name], form === 'list' ? 'must be a list' : 'must have members')
      return []
    }
    if (form === 'members') return [{ name, value: given, path: [name] }]
    if (Array.isArray(given)) return given.map((value: unknown, index) => ({ name: '', value, path: [name, index] }))
    return [...(given as Map<string, unknown>)].map(([key, value]) => ({ name: key, value, path: [name, key] }))
  }

  #checked<T>(schema: z.ZodType<T>, value: unknown, path: FilePath): T | undefined {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) {
      const at = [...path, ...issue.path.map((part) => (typeof part === 'symbol' ? '' : part))]
      if (issue.code === 'unrecognized_keys') for (const key of issue.keys) this.#fault([...at, key], 'is unknown')
      else this.#fault(at, phraseOfZodIssue(issue))
    }
    return undefined
  }

  #fault(path: FilePath, message: string): void {
    this.faults.push({ path, message })
  }
}

/** The key of one of several entries that are the same: their order tells them apart. */
export const distinct = (key: string, count: number): string => (count === 1 ? key : `${key} ${count}`)

/** Maps as objects; none of them was made by the language, so that `__proto__` is a name like others. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...(value as Map<string, unknown>)].map(([name, each]) => [name, plain(each)]))
}
