import { pricesOf, UnreadablePrices, type Price, type PricePoint, type PriceSource } from './price-source.ts'

const minutes: Readonly<Record<string, number>> = { PT15M: 15, PT30M: 30, PT60M: 60, PT1H: 60 }

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
  parse(text) {
    const reason = /<Reason>.*?<text>([^<]{1,300})<\/text>/s.exec(text)?.[1]
    if (text.includes('Acknowledgement_MarketDocument')) {
      if (reason?.includes('No matching data') === true) return []
      throw new UnreadablePrices(`the platform says: ${reason ?? 'nothing'}`)
    }
    const periods = elements(text, 'Period').map(periodOf)
    // Where a zone is published in quarter hours and in hours, the quarter hours count.
    const ordered = periods.toSorted((a, b) => b.lengthMs - a.lengthMs)
    if (ordered.length === 0) throw new UnreadablePrices('the answer has no period of prices')
    return overlaid(ordered.map(({ prices }) => prices))
  },
}

/** `202611262300`, in UTC. */
const wanted = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 12)

function periodOf(text: string): { lengthMs: number; prices: Price[] } {
  const resolution = valueOf(text, 'resolution')
  const lengthMs = (minutes[resolution] ?? Number.NaN) * 60_000
  const start = Date.parse(valueOf(text, 'start'))
  const end = Date.parse(valueOf(text, 'end'))
  const count = Math.round((end - start) / lengthMs)
  if (!Number.isInteger(count) || count < 1 || count > 1000)
    throw new UnreadablePrices(`a period from ${valueOf(text, 'start')} in steps of ${resolution} cannot be read`)
  const known = new Map(
    elements(text, 'Point').map((point) => [
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
function overlaid(lists: readonly Price[][]): Price[] {
  let all: Price[] = []
  for (const list of lists) {
    const isCovered = ({ from, until }: Price) => list.some((other) => other.from < until && from < other.until)
    all = [...all.filter((price) => !isCovered(price)), ...list]
  }
  return all.toSorted((a, b) => a.from - b.from)
}

const escaped = (name: string): string => name.replaceAll('.', String.raw`\.`)

const elements = (text: string, name: string): string[] =>
  Array.from(text.matchAll(new RegExp(`<${escaped(name)}>(.*?)</${escaped(name)}>`, 'gs')), ([, inner = '']) => inner)

const valueOf = (text: string, name: string): string => elements(text, name)[0]?.trim() ?? ''
