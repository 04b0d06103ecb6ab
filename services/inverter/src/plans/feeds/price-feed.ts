import type { PlanDependencies } from '../dependencies.ts'
import { publicSources } from '../prices/all-sources.ts'
import { parseMapped } from '../prices/mapped-json.ts'
import { parsePriceFile } from '../prices/price-file.ts'
import type { Price, PriceQuery } from '../prices/price-source.ts'
import type { PlanSettings } from '../schema.ts'
import { writePrices } from '../store.ts'
import { withJitter, type Loaded } from './feed.ts'
import { readPlanFile } from './plan-files.ts'
import { createRequests } from './request.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Local hour from which on the prices of tomorrow are asked for. */
const publishedAt = 13

/** Time for which prices are kept, to say what the last days cost. */
const keptMs = 4 * dayMs

const divisors = { kwh: 1, hundredth_kwh: 100, mwh: 1000 } as const

/** What prices are loaded with. */
export interface PriceFeedContext {
  readonly dependencies: PlanDependencies
  readonly settings: PlanSettings
  readonly key: string
  readonly zone: string
}

/** Loads the prices of today and tomorrow and stores them. They are asked for politely, once a day if all is there. */
export async function loadPrices(context: PriceFeedContext, signal: AbortSignal): Promise<Loaded> {
  const { dependencies, settings, zone } = context
  const now = dependencies.timers.now()
  if (settings.price_source === 'fixed') return { dueAt: Infinity, isNew: false }
  const { from, until } = daysAround(now, zone)
  const prices = await fetchPrices(context, { from, until }, signal)
  const wanted = prices.filter((price) => price.until > from - 2 * dayMs && price.from < until + 2 * dayMs)
  if (!wanted.some((price) => price.until > now)) throw new Error('the source has no prices from now on')
  signal.throwIfAborted()
  const isNew = await writePrices(dependencies.database.query, wanted, now - keptMs)
  const lastUntil = Math.max(...wanted.map((price) => price.until))
  return { dueAt: settings.price_source === 'file' ? now + 600_000 : nextRequest(now, lastUntil, zone), isNew }
}

/** When to ask a source again that has prices until a time. */
function nextRequest(now: number, lastUntil: number, zone: string): number {
  const { from, until } = daysAround(now, zone)
  const publication = atHour(from, publishedAt, zone)
  const isComplete = lastUntil >= until - hourMs
  if (isComplete) return atHour(until - hourMs, publishedAt, zone) + withJitter(hourMs) - hourMs
  return now < publication ? publication + withJitter(hourMs) - hourMs : now + withJitter(hourMs / 2)
}

type Span = Pick<PriceQuery, 'from' | 'until'>

async function fetchPrices(context: PriceFeedContext, span: Span, signal: AbortSignal): Promise<Price[]> {
  const { dependencies, settings, key } = context
  const { price_source: source } = settings
  if (source === 'fixed') return []
  if (source === 'file')
    return parsePriceFile(await readPlanFile(dependencies.dataDirectory, ['prices.csv', 'prices.json']))
  const send = createRequests(dependencies.allow, signal)
  if (source === 'json') {
    const parse = (text: string) => parseMapped(text, mappingOf(settings))
    const headers = key === '' ? {} : { authorization: `Bearer ${key}` }
    return parse(await send({ url: settings.price_url, headers }, parse))
  }
  const query: PriceQuery = { ...span, area: settings.price_area, currency: settings.currency, key }
  const prices: Price[] = []
  for (const request of publicSources[source].requests(query)) {
    const parse = (text: string) => publicSources[source].parse(text, query)
    prices.push(...parse(await send(request, parse)))
  }
  return prices.toSorted((a, b) => a.from - b.from)
}

const mappingOf = (settings: PlanSettings) => ({
  list: settings.price_list,
  start: settings.price_start,
  end: settings.price_end,
  price: settings.price_value,
  divisor: divisors[settings.price_unit],
})

/** From the midnight before now to the end of tomorrow. */
function daysAround(now: number, zone: string): Span {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).startOfDay()
  return { from: today.epochMilliseconds, until: today.add({ days: 2 }).startOfDay().epochMilliseconds }
}

const atHour = (ms: number, hour: number, zone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).with({ hour, minute: 0 }).epochMilliseconds
