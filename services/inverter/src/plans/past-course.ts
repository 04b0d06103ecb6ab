import { slotsPerHour, startOfSlot } from '../history/quantities.ts'
import type { EnergySlotRow } from '../tables.ts'
import { quarterMs, quarterOf } from './quarters/quarters.ts'
import type { PlanPastStep } from './day-schema.ts'
import type { Plan } from './schema.ts'
import { tariffPrices, type TariffSource } from './tariff.ts'

/** A plan as it is stored. */
interface StoredPlan {
  readonly made_at: number
  /** JSON of the plan. */
  readonly document: string
}

interface PastCourse extends TariffSource {
  readonly from: number
  readonly until: number
  readonly slots: readonly EnergySlotRow[]
  /** In the order in which they were made, from the one that was in force when the day began. */
  readonly plans: readonly StoredPlan[]
}

/** Returns each quarter hour of a day: what the plan in force at its begin expected, and what happened. */
export function pastCourse(day: PastCourse): PlanPastStep[] {
  const { from, until, slots } = day
  const count = Math.round((until - from) / quarterMs)
  const prices = tariffPrices(day, from, count)
  const planned = plannedSteps(day)
  const happened = Map.groupBy(slots, ({ slot }) => quarterOf(startOfSlot(slot)))
  return Array.from({ length: count }, (_, index): PlanPastStep => {
    const at = from + index * quarterMs
    const step = planned.get(at)
    const rows = happened.get(at) ?? []
    const soc = rows.findLast((row) => row.soc !== null)?.soc ?? null
    return {
      start: new Date(at).toISOString(),
      buy: prices[index]?.buy ?? null,
      action: step?.action ?? null,
      planned_soc_percent: step?.soc_percent ?? null,
      planned_grid_w: step?.grid_w ?? null,
      planned_pv_w: step?.pv_w ?? null,
      planned_load_w: step?.load_w ?? null,
      soc_percent: soc === null ? null : soc / 10,
      grid_w: meanPower(rows, (row) => difference(row.import_wh, row.export_wh)),
      pv_w: meanPower(rows, ({ pv_wh: wattHours }) => wattHours),
      load_w: meanPower(rows, ({ load_wh: wattHours }) => wattHours),
    }
  })
}

/** The steps of the plans that were in force when they began, by their begin. */
function plannedSteps({ from, until, plans }: PastCourse): Map<number, Plan['steps'][number]> {
  const steps = new Map<number, Plan['steps'][number]>()
  for (const { made_at: madeAt, document } of plans) {
    const { steps: own } = JSON.parse(document) as Pick<Plan, 'steps'>
    // A later plan replaces what an earlier one said of the time from then on.
    for (const step of own) {
      const at = Date.parse(step.start)
      if (at >= from && at < until && at >= quarterOf(madeAt)) steps.set(at, step)
    }
  }
  return steps
}

/** Mean power of slots, watts; null where none is known. */
function meanPower(rows: readonly EnergySlotRow[], energyOf: (row: EnergySlotRow) => number | null): number | null {
  const known = rows.map(energyOf).filter((wattHours) => wattHours !== null)
  if (known.length === 0) return null
  return Math.round((known.reduce((sum, wattHours) => sum + wattHours, 0) / known.length) * slotsPerHour)
}

const difference = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a - b)
