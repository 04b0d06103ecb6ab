import { startOfSlot } from '../history/quantities.ts'
import type { EnergySlotRow } from '../tables.ts'
import { allAutomatic, courseOf } from './optimiser/course.ts'
import type { Site, Step } from './optimiser/site.ts'
import { quarterMs, quarterOf } from './quarters/quarters.ts'
import { batteryOf, valuesOf, type DeviceFacts } from './site-of.ts'
import { tariffPrices, type TariffSource } from './tariff.ts'

/** Share of a day that must be known before its cost is said. */
const enough = 0.9

interface PastDay extends TariffSource {
  readonly from: number
  readonly until: number
  /** The house: that of the inverter, or of the plant. */
  readonly slots: readonly EnergySlotRow[]
  readonly batteries: readonly PastBattery[]
}

/** A battery and what it did. */
export interface PastBattery {
  readonly device: Omit<DeviceFacts, 'soc'>
  readonly slots: readonly EnergySlotRow[]
}

/** Energies of a quarter hour as they were. */
interface Quarter {
  load: number
  pv: number
  grid: number
  count: number
}

/**
 * Returns what a day cost, and what it would have cost if the inverter had decided by itself. What the battery holds more or
 * less at its end counts at the mean price of the day. Undefined when too little of the day is known.
 */
export function costOfDay(day: PastDay): { cost: number; costWithout: number } | undefined {
  const { from, until, slots, settings, batteries } = day
  const count = Math.round((until - from) / quarterMs)
  const quarters = quartersOf(slots, from, count)
  const prices = tariffPrices(day, from, count)
  const known = quarters.filter(({ count: slotsKnown }, index) => slotsKnown > 0 && prices[index] !== undefined).length
  const ends = batteries.map(({ slots: own }) => ({
    first: own.find((slot) => slot.soc !== null)?.soc ?? null,
    last: own.findLast((slot) => slot.soc !== null)?.soc ?? null,
  }))
  if (known < count * enough || ends.some(({ first, last }) => first === null || last === null)) return undefined
  const steps = quarters.map(({ load, pv }, index): Step => {
    const { buy, sell } = prices[index] ?? { buy: 0, sell: 0 }
    return { hours: 0.25, loadW: load * 4, pvW: pv * 4, buy, sell }
  })
  const value = steps.reduce((sum, { buy }) => sum + buy, 0) / Math.max(1, known)
  const atBegin = batteries.map(({ device }, index) =>
    batteryOf(settings, { ...device, soc: (ends[index]?.first ?? 0) / 1000 }),
  )
  const { grid_limit_w: gridLimitW, feed_in_limit_w: feedInLimitW } = settings
  const site: Site = { steps, batteries: atBegin, gridLimitW, feedInLimitW, endValue: value }
  const bought = quarters.reduce((sum, { grid }, index) => {
    const { buy, sell } = prices[index] ?? { buy: 0, sell: 0 }
    return sum + (grid * (grid > 0 ? buy : sell)) / 1000
  }, 0)
  const worn = batteries.reduce(
    (sum, { device: { id }, slots: own }) =>
      sum + own.reduce((wh, slot) => wh + (slot.discharge_wh ?? 0), 0) * (valuesOf(settings, id).wear / 1000),
    0,
  )
  const storedKwh = batteries.reduce(
    (sum, { device }, index) => sum + ((ends[index]?.last ?? 0) / 1000) * (device.capacityWh / 1000),
    0,
  )
  return { cost: bought + worn, costWithout: courseOf(site, allAutomatic(site)).total + storedKwh * value }
}

function quartersOf(slots: readonly EnergySlotRow[], from: number, count: number): Quarter[] {
  const quarters = Array.from({ length: count }, (): Quarter => ({ load: 0, pv: 0, grid: 0, count: 0 }))
  for (const slot of slots) {
    const quarter = quarters[(quarterOf(startOfSlot(slot.slot)) - from) / quarterMs]
    if (quarter === undefined || slot.load_wh === null) continue
    quarter.load += slot.load_wh
    quarter.pv += slot.pv_wh ?? 0
    quarter.grid += (slot.import_wh ?? 0) - (slot.export_wh ?? 0)
    quarter.count += 1
  }
  return quarters
}
