import { parseMapped, timeOf } from './mapped-json.ts'
import { pricesOf, UnreadablePrices, type Price } from './price-source.ts'

/**
 * Reads a file of prices per kilowatt-hour: a list in JSON of objects with `start`, `price` and perhaps `end`, or lines
 * `start,price` with a heading or without one. Times have their offset.
 */
export function parsePriceFile(text: string): Price[] {
  if (/^\s*[[{]/.test(text))
    return parseMapped(text, { list: '', start: 'start', end: 'end', price: 'price', divisor: 1 })
  const points = text
    .split('\n')
    .map((line, index) => ({ cells: line.trim().split(/[,;]/), number: index + 1 }))
    .filter(({ cells: [first = ''] }) => first !== '' && !first.startsWith('#'))
    .filter(({ cells: [first = ''], number }) => number > 1 || timeOf(first.trim()) !== undefined)
    .map(({ cells: [start = '', price = ''], number }) => {
      const from = timeOf(start.trim())
      if (from === undefined) throw new UnreadablePrices(`line ${number} begins with no time that has an offset`)
      if (price.trim() === '' || !Number.isFinite(Number(price)))
        throw new UnreadablePrices(`line ${number} has no price after the time`)
      return { from, price: Number(price) }
    })
  return pricesOf(points)
}
