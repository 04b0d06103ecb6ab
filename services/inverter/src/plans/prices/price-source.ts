import { UnreadableAnswer } from '../source-answer.ts'

/** A price for a stretch of time, per kilowatt-hour in the currency of the tariff. Times are milliseconds since the epoch. */
export interface Price {
  readonly from: number
  readonly until: number
  readonly price: number
}

/** What is asked of a source. */
export interface PriceQuery {
  /** First and end of the time that is asked for. */
  readonly from: number
  readonly until: number
  /** Bidding zone, country, tariff or home, as the source names it. */
  readonly area: string
  readonly currency: string
  /** Empty for a source that needs none. */
  readonly key: string
}

/** A request that a source wants. */
export interface PriceRequest {
  readonly url: string
  readonly method?: 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A public source of prices. */
export interface PriceSource {
  /** Requests for all prices that are asked for. */
  requests(query: PriceQuery): PriceRequest[]
  /** Reads an answer. Throws `UnreadableAnswer`. */
  parse(text: string, query: PriceQuery): Price[]
}

/** Longest stretch that a price without an end may stand for. */
const longestMs = 3_600_000

/** A price whose end the source may leave out. */
export interface PricePoint {
  readonly from: number
  readonly until?: number | undefined
  readonly price: number
}

/**
 * Returns prices in the order of time. One without an end goes on to the next, an hour at most; the last one is as long as the
 * one before it. Of two that begin together the later in the list counts.
 */
export function pricesOf(points: readonly PricePoint[]): Price[] {
  const sorted = [...new Map(points.map((point) => [point.from, point])).values()].toSorted((a, b) => a.from - b.from)
  let length = longestMs
  return sorted.map(({ from, until, price }, index) => {
    if (!Number.isFinite(from) || !Number.isFinite(price))
      throw new UnreadableAnswer('a price or its time is not a number')
    const next = sorted[index + 1]?.from
    if (next !== undefined && next - from <= longestMs) length = next - from
    const end = until ?? from + length
    return { from, until: Math.min(end, next ?? end), price }
  })
}
