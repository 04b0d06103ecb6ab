import { readFileSync } from 'node:fs'

/** One variable of the settings table in a README, with the default its row states. */
export interface DocumentedSetting {
  readonly name: string
  /** Without backticks; `none` when there is no default. */
  readonly documented: string
}

/**
 * Reads the table with the heads `Variable` and `Default` of a README. A row of several variables lists as many defaults,
 * separated by commas, or one for all of them. What follows a semicolon is left out.
 */
export function readSettingsTable(readme: string): DocumentedSetting[] {
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
