import { parseDocument, UnreadableAnswer } from '../source-answer.ts'
import { pricesOf, type Price, type PricePoint } from './price-source.ts'

/** Where a document has prices. Paths are names and numbers with points between them; an empty one is the place itself. */
export interface PriceMapping {
  /** Path of the list. */
  readonly list: string
  /** Paths inside an entry; without an end a price goes on to the next. */
  readonly start: string
  readonly end: string
  readonly price: string
  /** What a price has to be divided by: 1 for a kilowatt-hour, 100 for hundredths, 1000 for a megawatt-hour. */
  readonly divisor: number
}

/** Most entries that are read. */
const maxEntries = 5000

/** Reads prices from any JSON document. */
export function parseMapped(text: string, mapping: PriceMapping): Price[] {
  const list = valueAt(parseDocument(text), mapping.list)
  if (!Array.isArray(list))
    throw new UnreadableAnswer(`there is no list at ${mapping.list || 'the top of the document'}`)
  if (list.length > maxEntries) throw new UnreadableAnswer(`the list has more than ${maxEntries} entries`)
  return pricesOf(list.map((entry: unknown, index) => pointOf(entry, index, mapping)))
}

function pointOf(entry: unknown, index: number, { start, end, price, divisor }: PriceMapping): PricePoint {
  const from = timeOf(valueAt(entry, start))
  if (from === undefined) throw new UnreadableAnswer(`entry ${index + 1} has no time at ${start}`)
  const value = valueAt(entry, price)
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw new UnreadableAnswer(`entry ${index + 1} has no number at ${price}`)
  return { from, until: end === '' ? undefined : timeOf(valueAt(entry, end)), price: number / divisor }
}

function valueAt(document: unknown, path: string): unknown {
  if (path === '') return document
  let value = document
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** Numbers from here on are milliseconds, those below are seconds. */
const firstMs = 100_000_000_000

/** Reads a time: seconds or milliseconds since the epoch, or a date and time with its offset. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= firstMs ? value : value * 1000
  if (typeof value !== 'string') return undefined
  if (/^\d{9,14}$/.test(value)) return timeOf(Number(value))
  if (!/(?:Z|[+-]\d\d:?\d\d)$/.test(value)) return undefined
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? undefined : ms
}
