import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Tables } from '../database/tables.ts'
import { bucketStart, tiers } from '../traffic/bucket.ts'
import { hourlyFor } from './geography.ts'
import { deletePlacesBefore, joinHoursOfDay, oldestHourlyDay } from './store.ts'

/** Days that are joined in one go; the rest waits for the next. */
const daysAtOnce = 40

/** Deletes places before a moment, and throws hours older than a week together into days. */
export async function tidyPlaces({ database, clock }: { database: Database<Tables>; clock: Clock }, before: number) {
  const { query } = database
  await deletePlacesBefore(query, before)
  const limit = bucketStart(clock.now(), tiers.day) - hourlyFor
  for (let count = 0; count < daysAtOnce; count += 1) {
    const day = await oldestHourlyDay(query, limit)
    if (day === undefined) return
    await joinHoursOfDay(query, day)
  }
}
