import { parseMapped, timeOf } from './mapped-json.ts'
import { UnreadableAnswer } from '../source-answer.ts'
import { pricesOf, type Price, type PricePoint } from './price-source.ts'

/**
 * Reads a file of prices per kilowatt-hour: a list in JSON of objects with `start`, `price` and perhaps `end`, or lines
 * `start,price` with a heading or without one. Times have their offset. In a line with a semicolon between them a comma is the
 * decimal point.
 */
export function parsePriceFile(text: string): Price[] {
  if (/^\s*[[{]/.test(text))
    return parseMapped(text, { list: '', start: 'start', end: 'end', price: 'price', divisor: 1 })
  const points = text
    .split('\n')
    .map((line, index) => ({ cells: cellsOf(line.trim()), number: index + 1 }))
    .filter(({ cells: [first = ''] }) => first !== '' && !first.startsWith('#'))
    .filter(({ cells: [first = ''], number }) => number > 1 || timeOf(first.trim()) !== undefined)
    .map(({ cells, number }) => pointOf(cells, number))
  return pricesOf(points)
}

const cellsOf = (line: string): string[] =>
  line.includes(';') ? line.split(';').map((cell) => cell.replace(',', '.')) : line.split(',')

function pointOf(cells: readonly string[], number: number): PricePoint {
  const [start = '', price = ''] = cells.map((cell) => cell.trim())
  const from = timeOf(start)
  if (from === undefined) throw new UnreadableAnswer(`line ${number} begins with no time that has an offset`)
  if (cells.length > 2)
    throw new UnreadableAnswer(
      `line ${number} has ${cells.length} values instead of a time and a price; with a decimal comma put a semicolon between them`,
    )
  if (price === '' || !Number.isFinite(Number(price)))
    throw new UnreadableAnswer(`line ${number} has no price after the time`)
  return { from, price: Number(price) }
}
