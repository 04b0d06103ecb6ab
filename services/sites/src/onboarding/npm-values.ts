import type { NpmRow } from './npm-database.ts'

/** A text of a row; empty when there is none. */
export function textIn(row: NpmRow, column: string): string {
  const value = row[column]
  return typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
}

/** A number of a row; 0 when there is none. */
export function numberIn(row: NpmRow, column: string): number {
  const value = row[column]
  const number =
    typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? Number(value) : 0
  return Number.isFinite(number) ? number : 0
}

export function flagIn(row: NpmRow, column: string): boolean {
  return numberIn(row, column) !== 0
}

/** A value that is stored as JSON; undefined when it is none. */
export function jsonIn(row: NpmRow, column: string): unknown {
  const text = textIn(row, column)
  if (text === '' || text.length > 1_000_000) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The names of a host. */
export function domainsIn(row: NpmRow): string[] {
  const names = jsonIn(row, 'domain_names')
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()) : []
}
