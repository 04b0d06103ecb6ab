import { readFileSync } from 'node:fs'

type Environment = Readonly<Record<string, string>>

/** A service's settings as the README and the code have them. */
export interface DocumentedDefaults {
  /** Path of the README. */
  readonly readme: string
  /** The variables the service reads. */
  readonly variables: readonly string[]
  /** Reads the settings from an environment. */
  readonly read: (environment: Environment) => object
  /** A right value of each setting that is not its default; with further variables when it needs them. */
  readonly samples: Readonly<Record<string, string | Environment>>
  /** Defaults that the README tells in words. */
  readonly inWords?: Readonly<Record<string, Environment | 'none'>>
}

/**
 * Compares the defaults of a README's table with what the code does and returns a line for each difference: a default that
 * does not apply, a setting without effect, a variable that is not documented or not read.
 */
export function defaultProblems(subject: DocumentedDefaults): string[] {
  const table = readSettingsTable(subject.readme)
  const documented = new Set(table.map(({ name }) => name))
  const undocumented = subject.variables.filter((name) => !documented.has(name))
  return [
    ...undocumented.map((name) => `${name} is not in the table`),
    ...table.flatMap(({ name, documented }) => faultOf(subject, name, documented) ?? []),
  ]
}

function faultOf(subject: DocumentedDefaults, name: string, text: string): string | undefined {
  const { read, variables, samples, inWords = {} } = subject
  if (!variables.includes(name)) return `${name} is in the table but not read`
  const fresh = leavesOf(read({}))
  const sample = samples[name]
  if (sample === undefined) return `${name} has no sample`
  const changed = leavesOf(read(typeof sample === 'string' ? { [name]: sample } : sample))
  const touched = [...new Set([...fresh.keys(), ...changed.keys()])].filter(
    (key) => fresh.get(key) !== changed.get(key),
  )
  if (touched.length === 0) return `${name} has no effect`
  const expected = inWords[name] ?? (text === 'none' ? 'none' : { [name]: expand(text, fresh) })
  if (expected === 'none') {
    const set = touched.filter((key) => fresh.has(key) && fresh.get(key) !== 'false')
    return set.length === 0
      ? undefined
      : `${name} has a default: ${set.map((key) => `${key} ${fresh.get(key)}`).join()}`
  }
  const stated = leavesOf(read(expected))
  const differing = [...stated].find(([key, value]) => fresh.get(key) !== value)
  if (differing === undefined && stated.size === fresh.size) return undefined
  return `${name}: ${text} is documented, but ${differing?.[0]} is ${fresh.get(differing?.[0] ?? '')}`
}

/** `DATA_DIR` in a default stands for the directory. */
function expand(text: string, fresh: ReadonlyMap<string, string>): string {
  return text.replace('DATA_DIR', JSON.parse(fresh.get('.dataDirectory') ?? '""') as string)
}

/** Every value in an object by its path, as JSON; functions, undefined and empty lists do not count. */
function leavesOf(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null)
    return new Map(value === undefined || typeof value === 'function' ? [] : [[path, JSON.stringify(value)]])
  const leaves = new Map<string, string>()
  for (const [key, inner] of Object.entries(value))
    for (const [leaf, text] of leavesOf(inner, `${path}.${key}`)) leaves.set(leaf, text)
  return leaves
}

/** One variable of the settings table in a README, with the default its row states. */
interface DocumentedSetting {
  readonly name: string
  /** Without backticks; `none` when there is no default. */
  readonly documented: string
}

/**
 * Reads the table with the heads `Variable` and `Default` of a README. A row of several variables lists as many defaults,
 * separated by commas, or one for all of them. What follows a semicolon is left out.
 */
function readSettingsTable(readme: string): DocumentedSetting[] {
  const rows = readFileSync(readme, 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => /^`[A-Z][A-Z0-9_]+`(, `[A-Z][A-Z0-9_]+`)*$/.test(cells[1] ?? ''))
  return rows.flatMap(([, variables = '', cell = '']) => {
    const names = [...variables.matchAll(/[A-Z][A-Z0-9_]+/g)].map(([name]) => name)
    const text = cell.replace(/;.*$/, '').replaceAll('`', '')
    const parts = text.split(', ')
    return names.map((name, index) => ({
      name,
      documented: parts.length === names.length ? (parts[index] ?? '') : text,
    }))
  })
}
