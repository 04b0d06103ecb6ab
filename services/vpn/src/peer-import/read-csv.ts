import { CsvError, parse } from 'csv-parse/sync'
import { invalidField, type Problem } from '../problems.ts'
import { maxLines } from './schema.ts'

/** One line of a file: its number, and its cells by the names of their columns; empty cells are left out. */
export interface CsvLine {
  readonly line: number
  readonly cells: ReadonlyMap<string, string>
}

interface ParsedLine {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

const delimiters = [',', ';', '\t'] as const

/**
 * Reads a file of values separated by commas, semicolons (as spreadsheets of some countries write it) or tabs, whichever its
 * first line has most of. Throws a `Problem` when the file as a whole cannot be read.
 *
 * @param columns names that the first line may contain
 */
export function readCsv(text: string, columns: readonly string[]): CsvLine[] {
  const [heading, ...lines] = parseText(text)
  if (heading === undefined) throw refused('is empty')
  const names = heading.record.map((name) => name.toLowerCase())
  const unknown = names.find((name) => !columns.includes(name))
  if (unknown !== undefined)
    throw refused(`has the unknown column “${unknown.slice(0, 64)}”; columns are ${columns.join(', ')}`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw refused(`has the column ${twice} twice`)
  if (!names.includes('name')) throw refused('has no column name in its first line')
  if (lines.length === 0) throw refused('has no peers below its first line')
  if (lines.length > maxLines) throw refused(`has ${lines.length} peers; at most ${maxLines} at once`)
  return lines.map(({ record, info }) => {
    if (record.length > names.length) throw refused(`has more values than columns in line ${info.lines}`)
    const cells = record.map((cell, index) => [names[index] ?? '', plainCell(cell)] as const)
    return { line: info.lines, cells: new Map(cells.filter(([, cell]) => cell !== '')) }
  })
}

function parseText(text: string): ParsedLine[] {
  const [first = ''] = text.split(/\r?\n|\r/, 1)
  const count = (delimiter: string) => first.split(delimiter).length
  const delimiter = delimiters.toSorted((a, b) => count(b) - count(a))[0] ?? ','
  const options = { bom: true, delimiter, info: true, relax_column_count: true, skip_empty_lines: true, trim: true }
  try {
    return (parse(text, options) as unknown as ParsedLine[]).filter(({ record }) => record.some((cell) => cell !== ''))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw refused(`cannot be read: a quote is missing or in the wrong place near line ${Number(error['lines'] ?? 1)}`)
  }
}

/** A spreadsheet marks text that begins like a formula with an apostrophe. */
const plainCell = (cell: string): string => (/^'[=+\-@]/.test(cell) ? cell.slice(1) : cell)

const refused = (message: string): Problem => invalidField('csv', message)
