import type { Kysely } from 'kysely'
import type { PlanChoiceRow, PlanDayRow, Tables } from '../tables.ts'
import type { Price } from './prices/price-source.ts'
import type { Stretch } from './quarters/quarters.ts'

type Db = Kysely<Tables>

/** Time for which plans are kept of a device, milliseconds, and how many at most: yesterday is judged by its plans. */
const keptPlansMs = 48 * 3_600_000
const maxPlans = 600
/** Days that are kept of a device. */
const keptDays = 400

/** Rows of one statement, below the database's limit of parameters. */
const rowsAtOnce = 200

/** Stores a plan and removes the oldest of its device. */
export async function addPlan(db: Db, deviceId: string, plan: { madeAt: number; document: string }): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('plans')
      .values({ device_id: deviceId, made_at: plan.madeAt, document: plan.document })
      .execute()
    const kept = trx
      .selectFrom('plans')
      .select('id')
      .where('device_id', '=', deviceId)
      .where('made_at', '>=', plan.madeAt - keptPlansMs)
      .orderBy('id', 'desc')
      .limit(maxPlans)
    await trx.deleteFrom('plans').where('device_id', '=', deviceId).where('id', 'not in', kept).execute()
  })
}

/** Returns the prices of the market that end after a time, oldest first. */
export async function pricesFrom(db: Db, from: number): Promise<Price[]> {
  const rows = await db.selectFrom('plan_prices').selectAll().where('until_at', '>', from).orderBy('from_at').execute()
  return rows.map(({ from_at, until_at, price }) => ({ from: from_at, until: until_at, price }))
}

/**
 * Stores prices in the place of all that overlap with them, and removes those that ended before a time. Resolves to false when
 * the same prices were stored already.
 */
export async function writePrices(db: Db, prices: readonly Price[], endedBefore: number): Promise<boolean> {
  const rows = prices
    .filter(({ until }) => until > endedBefore)
    .map(({ from, until, price }) => ({ from_at: from, until_at: until, price }))
  const first = rows[0]?.from_at
  const last = rows.at(-1)?.until_at
  return db.transaction().execute(async (trx) => {
    await trx.deleteFrom('plan_prices').where('until_at', '<=', endedBefore).execute()
    if (first === undefined || last === undefined) return false
    const stored = await trx
      .selectFrom('plan_prices')
      .select(['from_at', 'until_at', 'price'])
      .where('from_at', '<', last)
      .where('until_at', '>', first)
      .orderBy('from_at')
      .execute()
    if (isSame(stored, rows)) return false
    await trx.deleteFrom('plan_prices').where('from_at', '<', last).where('until_at', '>', first).execute()
    for (let at = 0; at < rows.length; at += rowsAtOnce)
      await trx
        .insertInto('plan_prices')
        .values(rows.slice(at, at + rowsAtOnce))
        .execute()
    return true
  })
}

/** True for lists of rows with the same values, whatever the database makes its rows of. */
const isSame = (stored: readonly object[], rows: readonly object[]): boolean =>
  JSON.stringify(stored) === JSON.stringify(rows)

/** Removes all prices: they are those of another source. */
export async function deletePrices(db: Db): Promise<void> {
  await db.deleteFrom('plan_prices').execute()
}

/** Returns the forecast that ends after a time, oldest first. */
export async function forecastFrom(db: Db, from: number): Promise<Stretch[]> {
  const rows = await db
    .selectFrom('plan_forecasts')
    .selectAll()
    .where('until_at', '>', from)
    .orderBy('from_at')
    .execute()
  return rows.map(({ from_at, until_at, watts }) => ({ from: from_at, until: until_at, value: watts }))
}

/**
 * Stores what of a forecast ends after a time, in the place of the one before. Resolves to false when the same was stored
 * already.
 */
export async function replaceForecast(db: Db, stretches: readonly Stretch[], endsAfter: number): Promise<boolean> {
  const rows = stretches
    .filter(({ until }) => until > endsAfter)
    .map(({ from, until, value }) => ({ from_at: from, until_at: until, watts: value }))
  return db.transaction().execute(async (trx) => {
    const stored = await trx
      .selectFrom('plan_forecasts')
      .select(['from_at', 'until_at', 'watts'])
      .where('until_at', '>', endsAfter)
      .orderBy('from_at')
      .execute()
    if (isSame(stored, rows)) return false
    await trx.deleteFrom('plan_forecasts').execute()
    for (let at = 0; at < rows.length; at += rowsAtOnce)
      await trx
        .insertInto('plan_forecasts')
        .values(rows.slice(at, at + rowsAtOnce))
        .execute()
    return true
  })
}

/** Removes the forecast: it is that of another source, place or other panels. */
export async function deleteForecast(db: Db): Promise<void> {
  await db.deleteFrom('plan_forecasts').execute()
}

/** Returns what a person wants of devices after a time. */
export const choicesFrom = (db: Db, deviceIds: readonly string[], from: number): Promise<PlanChoiceRow[]> =>
  db
    .selectFrom('plan_choices')
    .selectAll()
    .where('device_id', 'in', deviceIds)
    .where('until_at', '>', from)
    .orderBy('from_at')
    .orderBy('device_id')
    .execute()

/** Replaces what a person wants of devices. */
export async function replaceChoices(
  db: Db,
  deviceIds: readonly string[],
  rows: readonly PlanChoiceRow[],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('plan_choices').where('device_id', 'in', deviceIds).execute()
    if (rows.length > 0) await trx.insertInto('plan_choices').values(rows).execute()
  })
}

/** Returns the plans of a device that were made in a stretch of time, oldest first, after the last one before it. */
export async function plansBetween(db: Db, deviceId: string, { from, until }: { from: number; until: number }) {
  const plans = db.selectFrom('plans').select(['made_at', 'document']).where('device_id', '=', deviceId)
  const before = await plans.where('made_at', '<', from).orderBy('made_at', 'desc').limit(1).execute()
  const within = await plans.where('made_at', '>=', from).where('made_at', '<', until).orderBy('made_at').execute()
  return [...before, ...within]
}

/** Returns true if a plan of a device was made before a time. */
export async function hasPlanBefore(db: Db, deviceId: string, until: number): Promise<boolean> {
  const plans = db.selectFrom('plans').select('id').where('device_id', '=', deviceId)
  return (await plans.where('made_at', '<', until).limit(1).executeTakeFirst()) !== undefined
}

/** Returns a judged day; undefined when there is none. */
export const dayOf = (db: Db, deviceId: string, day: string): Promise<PlanDayRow | undefined> =>
  db.selectFrom('plan_days').selectAll().where('device_id', '=', deviceId).where('day', '=', day).executeTakeFirst()

/** Returns what the last days cost, newest first. */
export const latestDays = (db: Db, deviceId: string, count: number): Promise<Omit<PlanDayRow, 'course'>[]> =>
  db
    .selectFrom('plan_days')
    .select(['device_id', 'day', 'cost', 'cost_without', 'currency'])
    .where('device_id', '=', deviceId)
    .orderBy('day', 'desc')
    .limit(count)
    .execute()

/** Stores what a day cost and removes the oldest days. */
export async function writeDay(db: Db, row: PlanDayRow): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { cost, cost_without, currency, course } = row
    await trx
      .insertInto('plan_days')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['device_id', 'day']).doUpdateSet({ cost, cost_without, currency, course }),
      )
      .execute()
    const kept = trx
      .selectFrom('plan_days')
      .select('day')
      .where('device_id', '=', row.device_id)
      .orderBy('day', 'desc')
      .limit(keptDays)
    await trx.deleteFrom('plan_days').where('device_id', '=', row.device_id).where('day', 'not in', kept).execute()
  })
}

/** Deletes everything about a device. */
export async function deletePlans(db: Db, deviceId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const table of ['plans', 'plan_choices', 'plan_days'] as const)
      await trx.deleteFrom(table).where('device_id', '=', deviceId).execute()
  })
}
