import type { Kysely } from 'kysely'
import type { EnergyMeterRow, EnergySlotRow, Tables } from '../tables.ts'
import { slotAt, slotMs } from './quantities.ts'
import { newestMeasured, slotRows } from './store.ts'

const dayMs = 86_400_000

/** Longest night: one that is silent for longer did not come back with the sun. */
const longestMs = 20 * 3_600_000

/** Solar power of the last five minutes before the night, watts at most: inverters switch off at less. */
const duskW = 150

/** Days before, and the time around this one on each, that say whether there is sun now. */
const daysBack = 3
const aroundMs = 600_000

/** Energy of five minutes in the dark, watt-hours at most: what a gap counted is divided among its slots. */
const darkWh = 2

/**
 * Returns true for a silent inverter that produces nothing because it is dark: it has no battery, went silent with the sun, and
 * produced nothing at this time of the days before.
 */
export async function isOffForNight(
  db: Kysely<Tables>,
  { number, capacity_wh: capacity }: EnergyMeterRow,
  now: number,
): Promise<boolean> {
  if ((capacity ?? 0) > 0) return false
  const last = await newestMeasured(db, number)
  if (last === undefined || !isDusk(last, now)) return false
  const days: EnergySlotRow[][] = []
  for (let day = 1; day <= daysBack; day += 1) {
    const at = now - day * dayMs
    days.push(await slotRows(db, number, { from: slotAt(at - aroundMs), until: slotAt(at + aroundMs) + 1 }))
  }
  const known = days.flat().filter(({ pv_wh: wattHours }) => wattHours !== null)
  return known.length > 0 && known.every(({ pv_wh: wattHours }) => (wattHours ?? 0) <= darkWh)
}

/** True if what was measured last is an inverter without a battery at the end of its day. */
function isDusk({ slot, pv_w: pv, soc }: EnergySlotRow, now: number): boolean {
  const end = (slot + 1) * slotMs
  return now - end <= longestMs && pv !== null && pv <= duskW && (soc ?? 0) === 0
}
