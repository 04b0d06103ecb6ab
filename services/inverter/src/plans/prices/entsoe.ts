import { SourceRefusal, UnreadableAnswer } from '../source-answer.ts'
import { pricesOf, type Price, type PricePoint, type PriceSource } from './price-source.ts'

const minutes: Readonly<Record<string, number>> = { PT15M: 15, PT30M: 30, PT60M: 60, PT1H: 60 }

/** Most time series and periods, and most prices, of an answer. */
const maxParts = 500
const maxPrices = 5000

/** The transparency platform of the European transmission system operators; its area is the EIC code of a bidding zone. */
export const entsoe: PriceSource = {
  requests({ from, until, area, key }) {
    const url = new URL('https://web-api.tp.entsoe.eu/api')
    const values = {
      documentType: 'A44',
      in_Domain: area,
      out_Domain: area,
      periodStart: wanted(from),
      periodEnd: wanted(until),
    }
    for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
    url.searchParams.set('securityToken', key)
    return [{ url: url.href }]
  },
  parse(text, { currency }) {
    if (text.includes('Acknowledgement_MarketDocument')) {
      const reason = valueOf(valueOf(text, 'Reason'), 'text').slice(0, 300)
      if (reason.includes('No matching data')) return []
      throw new SourceRefusal(`the platform says: ${reason || 'nothing'}`)
    }
    const series = elements(text, 'TimeSeries', { max: maxParts, what: 'series' })
    const counted = ofFirstAuction(series)
    for (const one of counted) checkUnits(one, currency)
    const periods = periodsOf(counted)
    // Where a zone is published in quarter hours and in hours, the quarter hours count.
    const ordered = periods.toSorted((a, b) => b.lengthMs - a.lengthMs)
    if (ordered.length === 0) throw new UnreadableAnswer('the answer has no period of prices')
    return overlaid(ordered.map(({ prices }) => prices))
  },
}

/** `202611262300`, in UTC. */
const wanted = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 12)

/**
 * Series of the first auction of an answer: zones such as Germany and Austria have that of the coupled European market (1) and
 * that of EXAA (2) in one answer. A series without a number is of the only auction of its zone.
 */
function ofFirstAuction(series: readonly string[]): string[] {
  const numbered = series.map((text) => ({
    text,
    auction: Number(valueOf(text, 'classificationSequence_AttributeInstanceComponent.position')) || 1,
  }))
  const first = numbered.reduce((least, { auction }) => Math.min(least, auction), Infinity)
  return numbered.filter(({ auction }) => auction === first).map(({ text }) => text)
}

/** Throws when a series says that its prices are in another currency, or not for a megawatt-hour. */
function checkUnits(series: string, currency: string): void {
  const own = valueOf(series, 'currency_Unit.name').slice(0, 20)
  if (own !== '' && own !== currency)
    throw new UnreadableAnswer(`the prices are in ${own}, and the currency of the settings is ${currency}`)
  const unit = valueOf(series, 'price_Measure_Unit.name').slice(0, 20)
  if (unit !== '' && unit !== 'MWH') throw new UnreadableAnswer(`the prices are for ${unit} instead of MWH`)
}

/** Prices of one period, and how long each of them is. */
interface Period {
  readonly lengthMs: number
  readonly prices: readonly Price[]
}

function periodsOf(series: readonly string[]): Period[] {
  const periods: Period[] = []
  let count = 0
  for (const one of series)
    for (const text of elements(one, 'Period', { max: maxParts, what: 'periods' })) {
      if (periods.length === maxParts) throw tooMany(maxParts, 'periods')
      const period = periodOf(text)
      count += period.prices.length
      if (count > maxPrices) throw tooMany(maxPrices, 'prices')
      periods.push(period)
    }
  return periods
}

function periodOf(text: string): Period {
  const resolution = valueOf(text, 'resolution')
  const lengthMs = (minutes[resolution] ?? Number.NaN) * 60_000
  const start = Date.parse(valueOf(text, 'start'))
  const end = Date.parse(valueOf(text, 'end'))
  const count = Math.round((end - start) / lengthMs)
  if (!Number.isInteger(count) || count < 1 || count > 1000)
    throw new UnreadableAnswer(`a period from ${valueOf(text, 'start')} in steps of ${resolution} cannot be read`)
  const known = new Map(
    elements(text, 'Point', { max: maxPrices, what: 'prices' }).map((point) => [
      Number(valueOf(point, 'position')),
      Number(valueOf(point, 'price.amount')),
    ]),
  )
  const points: PricePoint[] = []
  let price: number | undefined
  for (let position = 1; position <= count; position += 1) {
    // A position that is left out has the price before it (curve type A03).
    price = known.get(position) ?? price
    const from = start + (position - 1) * lengthMs
    if (price !== undefined) points.push({ from, until: from + lengthMs, price: price / 1000 })
  }
  return { lengthMs, prices: pricesOf(points) }
}

/** Puts lists of prices over each other; where two overlap the later list counts. */
function overlaid(lists: readonly (readonly Price[])[]): Price[] {
  let all: Price[] = []
  for (const list of lists) {
    const isCovered = ({ from, until }: Price) => list.some((other) => other.from < until && from < other.until)
    all = [...all.filter((price) => !isCovered(price)), ...list]
  }
  return all.toSorted((a, b) => a.from - b.from)
}

/** Most elements of a name that are read, and what they are. */
interface ElementLimit {
  readonly max: number
  readonly what: string
}

const tooMany = (max: number, what: string): UnreadableAnswer =>
  new UnreadableAnswer(`the answer has more than ${max} ${what}`)

/** Returns what elements of a name contain, in one pass. */
function elements(text: string, name: string, { max, what }: ElementLimit): string[] {
  const [open, close] = [`<${name}>`, `</${name}>`]
  const found: string[] = []
  for (let at = 0; ;) {
    const begin = text.indexOf(open, at)
    const end = begin === -1 ? -1 : text.indexOf(close, begin + open.length)
    if (end === -1) return found
    if (found.length === max) throw tooMany(max, what)
    found.push(text.slice(begin + open.length, end))
    at = end + close.length
  }
}

/** Returns what the first element of a name contains. */
function valueOf(text: string, name: string): string {
  const begin = text.indexOf(`<${name}>`)
  const end = begin === -1 ? -1 : text.indexOf(`</${name}>`, begin)
  return end === -1 ? '' : text.slice(begin + name.length + 2, end).trim()
}
