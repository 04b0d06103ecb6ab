import { startOfSlot } from '../history/quantities.ts'
import type { EnergySlotRow } from '../tables.ts'
import type { PlanDependencies } from './dependencies.ts'
import { LoadProfile, type QuarterLoad } from './load/load-profile.ts'
import { quarterMs, quarterOf, type Stretch } from './quarters/quarters.ts'

const dayMs = 86_400_000

/** Days that habits are learned from, and days that the sun is. */
const loadDays = 42
const sunDays = 7

/** How far ahead the sun of the last days is taken for the next. */
const aheadMs = 3 * dayMs

/** What the history says of the days to come. */
export interface Habits {
  readonly profile: LoadProfile
  /** The sun of the last days at the same hour. */
  readonly sun: readonly Stretch[]
}

/** Learns what a house takes and what the sun gives from the history. */
export async function learnHabits({ history }: PlanDependencies, deviceId: string, now: number): Promise<Habits> {
  const slots = await history.slotsOf(deviceId, now - loadDays * dayMs, now)
  return { profile: new LoadProfile(loadsOf(slots), history.timeZone()), sun: sunOf(slots, now) }
}

/** Means of the quarter hours of which the history knows at least half. */
function loadsOf(slots: readonly EnergySlotRow[]): QuarterLoad[] {
  const sums = new Map<number, { wh: number; count: number }>()
  for (const { slot, load_wh: wh } of slots) {
    if (wh === null) continue
    const from = quarterOf(startOfSlot(slot))
    const sum = sums.get(from) ?? { wh: 0, count: 0 }
    sums.set(from, { wh: sum.wh + wh, count: sum.count + 1 })
  }
  return Array.from(sums, ([from, { wh, count }]) => ({ from, watts: (wh / count) * 12, count })).filter(
    ({ count }) => count >= 2,
  )
}

function sunOf(slots: readonly EnergySlotRow[], now: number): Stretch[] {
  const sums = new Map<number, { wh: number; count: number }>()
  for (const { slot, pv_wh: wh } of slots) {
    const at = startOfSlot(slot)
    if (wh === null || at < now - sunDays * dayMs) continue
    const time = quarterOf(at) % dayMs
    const sum = sums.get(time) ?? { wh: 0, count: 0 }
    sums.set(time, { wh: sum.wh + wh, count: sum.count + 1 })
  }
  const first = quarterOf(now)
  return Array.from({ length: aheadMs / quarterMs }, (_, index): Stretch[] => {
    const from = first + index * quarterMs
    const sum = sums.get(from % dayMs)
    return sum === undefined ? [] : [{ from, until: from + quarterMs, value: (sum.wh / sum.count) * 12 }]
  }).flat()
}
