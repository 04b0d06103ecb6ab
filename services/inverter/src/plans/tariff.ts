import { windowPrice } from './prices/time-windows.ts'
import type { Price } from './prices/price-source.ts'
import { quarterMeans, quarterMs } from './quarters/quarters.ts'
import type { PlanSettings } from './schema.ts'

/** Prices of a kilowatt-hour with every fee and tax. */
export interface QuarterPrice {
  readonly buy: number
  readonly sell: number
}

/** What a tariff is read from. */
export interface TariffSource {
  readonly settings: PlanSettings
  /** Prices of the source, unless the tariff is fixed. */
  readonly market: readonly Price[]
  readonly zone: string
}

/** Prices of the quarter hours that begin at `from`; undefined where the source has none. */
export function tariffPrices(
  { settings, market, zone }: TariffSource,
  from: number,
  count: number,
): (QuarterPrice | undefined)[] {
  const means =
    settings.price_source === 'fixed'
      ? undefined
      : quarterMeans(
          market.map((price) => ({ from: price.from, until: price.until, value: price.price })),
          from,
          count,
        )
  return Array.from({ length: count }, (_, index) => {
    const at = from + index * quarterMs
    const price = means === undefined ? (windowPrice(settings.windows, at, zone) ?? settings.fixed_price) : means[index]
    if (price === undefined) return undefined
    const taxed = (price + settings.surcharge) * (1 + settings.tax_percent / 100)
    return { buy: taxed + (windowPrice(settings.fees, at, zone) ?? 0), sell: settings.feed_in_price }
  })
}
