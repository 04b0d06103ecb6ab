import type { PlanChange, PlanSettings } from './schema.ts'

/** What prices come from, beside the key. */
const ofPrices = [
  'price_source',
  'price_area',
  'price_url',
  'price_list',
  'price_start',
  'price_end',
  'price_value',
  'price_unit',
  'currency',
] as const

/** What a forecast comes from. */
const ofForecast = ['forecast_source', 'latitude', 'longitude', 'planes'] as const

/** Stored inputs of plans that come from other settings than those in force. */
export interface StaleInputs {
  readonly prices: boolean
  readonly forecast: boolean
}

/** Nothing stored is stale. */
export const noneStale: StaleInputs = { prices: false, forecast: false }

/** Says what a change of the settings makes stale. */
export function staleAfter(before: PlanSettings, change: PlanChange): StaleInputs {
  const isOther = (name: keyof PlanSettings & keyof PlanChange) =>
    JSON.stringify(before[name]) !== JSON.stringify(change[name])
  return { prices: change.key !== undefined || ofPrices.some(isOther), forecast: ofForecast.some(isOther) }
}
