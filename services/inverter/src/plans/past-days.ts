import type { Kysely } from 'kysely'
import { parseJson } from '@hearth/runtime'
import { Problem } from '../problems.ts'
import type { PlanDayRow, Tables } from '../tables.ts'
import { PlanPastDay, type PlanDay } from './day-schema.ts'
import { dayOf, latestDays } from './store.ts'

/** All days that are kept. */
const keptDays = 400

/** Returns what the newest days cost on which plans were carried out, newest first. */
export async function readDays(db: Kysely<Tables>, deviceId: string, count = keptDays): Promise<PlanDay[]> {
  return (await latestDays(db, deviceId, count)).map(dayView)
}

/** Returns a day on which plans were carried out. Throws `not_found` for a day that was not judged. */
export async function readDay(db: Kysely<Tables>, deviceId: string, date: string): Promise<PlanPastDay> {
  const row = await dayOf(db, deviceId, date)
  if (row === undefined)
    throw new Problem('not_found', `No plan was carried out on ${date}, or too little is known of that day`)
  const steps = PlanPastDay.shape.steps.safeParse(row.course === null ? [] : parseJson(row.course))
  return { ...dayView(row), device_id: deviceId, steps: steps.success ? steps.data : [] }
}

const dayView = ({ day, cost, cost_without, currency }: Omit<PlanDayRow, 'course'>): PlanDay => ({
  date: day,
  cost,
  cost_without,
  currency,
})
