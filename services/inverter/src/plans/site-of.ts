import type { PlanChoiceRow } from '../tables.ts'
import type { LoadProfile } from './load/load-profile.ts'
import type { Battery, Site, Step } from './optimiser/site.ts'
import type { Price } from './prices/price-source.ts'
import { quarterMeans, quarterMs, quarterOf, withoutGaps, type Stretch } from './quarters/quarters.ts'
import type { PlanSettings } from './schema.ts'
import { tariffPrices, type QuarterPrice } from './tariff.ts'

/** What is known of an inverter and its battery. */
export interface DeviceFacts {
  readonly id: string
  /** State of charge, 0 to 1. */
  readonly soc: number
  readonly capacityWh: number
  readonly chargeW: number
  readonly dischargeW: number
  /** State of charge at which the inverter stops by itself, 0 to 1. */
  readonly minSoc: number
}

/** What a plan is made of. */
export interface PlanInput {
  readonly now: number
  readonly zone: string
  readonly settings: PlanSettings
  /** Inverters whose batteries are planned. */
  readonly devices: readonly DeviceFacts[]
  readonly market: readonly Price[]
  readonly forecast: readonly Stretch[]
  readonly profile: Pick<LoadProfile, 'at'>
  readonly choices: readonly PlanChoiceRow[]
}

/** A site with the times of its steps. */
export interface TimedSite {
  readonly site: Site
  /** Begin of each step, milliseconds since the epoch. */
  readonly times: readonly number[]
  /** Steps of which the price is known, and the forecast where there is a source of it; those after them are assumed. */
  readonly known: number
}

/** Longest plan, and how far it looks beyond the last known price with those of the day before; quarter hours. */
const maxQuarters = 192
const beyond = 96

/** Steps of a day. */
const day = 96

/** Returns the site from this quarter hour on; undefined when its price is not known, or its sun where a source forecasts it. */
export function siteOf(input: PlanInput): TimedSite | undefined {
  const { now, settings } = input
  const first = quarterOf(now)
  // Those of the day before stand in for what is not known yet.
  const before = tariffPrices(input, first - day * quarterMs, day)
  const prices = tariffPrices(input, first, maxQuarters)
  const end = prices.indexOf(undefined)
  const isFixed = settings.price_source === 'fixed'
  const priced = isFixed ? day * 1.5 : end === -1 ? maxQuarters : end
  const suns = sunsOf(input, first, isFixed ? priced : Math.min(maxQuarters, priced) + beyond)
  const known = Math.min(priced, suns.known)
  if (known === 0) return undefined
  const count = Math.min(suns.watts.length, known + beyond)
  // The first step is shorter, so that a plan that is made in the middle of it counts what is left.
  const firstHours = (first + quarterMs - now) / 3_600_000
  const times = Array.from({ length: count }, (_, index) => first + index * quarterMs)
  const knownPrices = [...before, ...prices.slice(0, priced)]
  const steps = times.map((at, index): Step => {
    const { buy, sell } = priceAt(knownPrices, index + day)
    return {
      hours: index === 0 ? Math.max(firstHours, 1 / 60) : 0.25,
      loadW: Math.max(0, input.profile.at(at)),
      pvW: Math.max(0, suns.watts[index] ?? 0),
      buy,
      sell,
      wanted: input.devices.map(({ id }) => choiceAt(input.choices, id, at)),
    }
  })
  return { site: siteWith(input, steps), times, known }
}

/**
 * The sun of at most `count` steps, and how many of them are known. What a source does not forecast is that of the same time on
 * the day before; the steps end where that is not known either. Without a source what the history does not know is dark.
 */
function sunsOf({ forecast, settings }: PlanInput, first: number, count: number): { watts: number[]; known: number } {
  const means = withoutGaps(quarterMeans(forecast, first, count), 4)
  if (settings.forecast_source === 'none') return { watts: means.map((sun) => sun ?? 0), known: count }
  // A forecast may begin in the middle of this quarter hour.
  means[0] ??= means[1]
  const end = means.indexOf(undefined)
  const known = end === -1 ? count : end
  const watts: number[] = []
  for (const [index, mean] of means.entries()) {
    const sun = mean ?? watts[index - day]
    if (sun === undefined) break
    watts.push(sun)
  }
  return { watts, known }
}

/** The price of a step; one that is not known is that of the same time on the last day of which it is. */
function priceAt(prices: readonly (QuarterPrice | undefined)[], index: number): QuarterPrice {
  for (let at = index; at >= 0; at -= day) {
    const price = prices[at]
    if (price !== undefined) return price
  }
  const known = prices.filter((price) => price !== undefined)
  const sum = known.reduce((total, { buy }) => total + buy, 0)
  return { buy: sum / Math.max(1, known.length), sell: known[0]?.sell ?? 0 }
}

/** What a person wants of an inverter at a time. */
const choiceAt = (choices: PlanInput['choices'], id: string, at: number) =>
  choices.find(({ device_id: own, from_at: from, until_at: until }) => own === id && from <= at && at < until)?.action

function siteWith({ settings, devices }: PlanInput, steps: readonly Step[]): Site {
  const batteries = devices.map((device) => batteryOf(settings, device))
  return {
    steps,
    batteries,
    gridLimitW: settings.grid_limit_w,
    feedInLimitW: settings.feed_in_limit_w,
    endValue: endValueOf(steps, batteries),
  }
}

/** Values of one battery: its own where the settings have some, else those of all. */
export const valuesOf = (settings: PlanSettings, id: string) =>
  Object.assign({}, settings, settings.whole_plant ? settings.batteries.find((own) => own.device_id === id) : undefined)

/** Returns the battery as the optimiser counts. */
export function batteryOf(common: PlanSettings, device: DeviceFacts): Battery {
  const settings = valuesOf(common, device.id)
  const percent = (value: number) => (value / 100) * device.capacityWh
  return {
    storedWh: device.soc * device.capacityWh,
    reserveWh: Math.max(percent(settings.reserve_percent), device.minSoc * device.capacityWh),
    emptyWh: device.minSoc * device.capacityWh,
    fullWh: device.capacityWh,
    chargeUntilWh: percent(Math.min(settings.full_percent, 95)),
    chargeW: device.chargeW,
    dischargeW: device.dischargeW,
    chargeEfficiency: settings.charge_efficiency,
    dischargeEfficiency: settings.discharge_efficiency,
    wear: settings.wear,
  }
}

/** What a kilowatt-hour is worth that is left at the end: it saves one that is bought at a low price. */
function endValueOf(steps: readonly Step[], batteries: readonly Battery[]): number {
  const prices = steps.map(({ buy }) => buy).toSorted((a, b) => a - b)
  const low = prices[Math.floor(prices.length / 4)] ?? 0
  const content = batteries.reduce((sum, { fullWh }) => sum + fullWh, 0)
  const worth = batteries.reduce(
    (sum, { fullWh, wear, dischargeEfficiency }) => sum + fullWh * (low - wear) * dischargeEfficiency,
    0,
  )
  return content === 0 ? 0 : Math.max(0, worth / content)
}
