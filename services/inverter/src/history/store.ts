import type { Kysely } from 'kysely'
import type { EnergyDayRow, EnergyHourRow, EnergyMeterRow, EnergySlotRow, Tables } from '../tables.ts'
import type { LocalDay, LocalDays } from './local-days.ts'
import { slotAt, slotsPerHour, startOfSlot, type Slot } from './quantities.ts'

type Db = Kysely<Tables>

/** Rows of one statement, below the database's limit of parameters. */
const rowsAtOnce = 100

/** Rows that one statement deletes, so that others get their turn. */
const deletedAtOnce = 2000

/** Returns the meters of all devices. */
export const allMeters = (db: Db): Promise<EnergyMeterRow[]> =>
  db.selectFrom('energy_meters').selectAll().orderBy('number').execute()

/** Returns the meter of a device; undefined before its first slot. */
export const meterOf = (db: Db, deviceId: string): Promise<EnergyMeterRow | undefined> =>
  db.selectFrom('energy_meters').selectAll().where('device_id', '=', deviceId).executeTakeFirst()

/** Adds the meter of a device and returns it; one that is there already stays as it is. */
export async function addMeter(db: Db, deviceId: string): Promise<EnergyMeterRow> {
  return db.transaction().execute(async (trx) => {
    const known = await meterOf(trx, deviceId)
    if (known !== undefined) return known
    const { highest } = await trx
      .selectFrom('energy_meters')
      .select(({ fn }) => fn.max('number').as('highest'))
      .executeTakeFirstOrThrow()
    const row = { device_id: deviceId, number: (highest ?? 0) + 1, meter: null, filling: null, capacity_wh: null }
    await trx.insertInto('energy_meters').values(row).execute()
    return row
  })
}

/** Changes what a meter has to know after a restart. */
export async function updateMeter(
  db: Db,
  deviceId: string,
  values: Partial<Pick<EnergyMeterRow, 'meter' | 'filling' | 'capacity_wh'>>,
): Promise<void> {
  if (Object.keys(values).length === 0) return
  await db.updateTable('energy_meters').set(values).where('device_id', '=', deviceId).execute()
}

/** Slots of one meter, and what becomes of it with them. */
export interface SlotWrite {
  readonly meter: Pick<EnergyMeterRow, 'device_id' | 'number'>
  readonly slots: readonly Slot[]
  readonly days: LocalDays
  readonly change: Partial<Pick<EnergyMeterRow, 'meter' | 'filling' | 'capacity_wh'>>
}

/**
 * Stores slots, adds up the hours and days that they are in, and notes the state of the meter: all in one transaction. A slot
 * replaces one of a source that is worse, and no other.
 */
export async function writeSlots(db: Db, write: SlotWrite): Promise<void> {
  await db.transaction().execute((trx) => putSlots(trx, write))
}

/** As `writeSlots`, inside a transaction. */
export async function putSlots(trx: Db, { meter, slots, days, change }: SlotWrite): Promise<void> {
  for (let at = 0; at < slots.length; at += rowsAtOnce)
    await insertSlots(
      trx,
      slots.slice(at, at + rowsAtOnce).map((slot) => Object.assign({ meter: meter.number, ac_wh: null }, slot)),
    )
  const first = slots.at(0)
  const last = slots.at(-1)
  if (first !== undefined && last !== undefined) {
    await sumHours(trx, meter.number, { from: first.slot, until: last.slot + 1 })
    for (const day of days.between(startOfSlot(first.slot), startOfSlot(last.slot + 1)))
      await sumDay(trx, meter.number, day)
  }
  await updateMeter(trx, meter.device_id, change)
}

/** Removes the slots of a stretch, so that others take their place whatever their source. Inside a transaction. */
export async function removeSlots(trx: Db, meter: number, { from, until }: SlotRange): Promise<void> {
  await trx
    .deleteFrom('energy_slots')
    .where('meter', '=', meter)
    .where('slot', '>=', from)
    .where('slot', '<', until)
    .execute()
}

async function insertSlots(trx: Db, rows: EnergySlotRow[]): Promise<void> {
  await trx
    .insertInto('energy_slots')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['meter', 'slot'])
        .doUpdateSet((row) => ({
          pv_wh: row.ref('excluded.pv_wh'),
          load_wh: row.ref('excluded.load_wh'),
          import_wh: row.ref('excluded.import_wh'),
          export_wh: row.ref('excluded.export_wh'),
          charge_wh: row.ref('excluded.charge_wh'),
          discharge_wh: row.ref('excluded.discharge_wh'),
          pv_w: row.ref('excluded.pv_w'),
          load_w: row.ref('excluded.load_w'),
          grid_w: row.ref('excluded.grid_w'),
          battery_w: row.ref('excluded.battery_w'),
          soc: row.ref('excluded.soc'),
          ac_wh: row.ref('excluded.ac_wh'),
          source: row.ref('excluded.source'),
        }))
        .whereRef('energy_slots.source', '>', 'excluded.source'),
    )
    .execute()
}

/** A stretch of slots, the end left out. */
export interface SlotRange {
  readonly from: number
  readonly until: number
}

/** Adds up the slots of a stretch; undefined when there is none. */
async function sumSlots(db: Db, meter: number, { from, until }: SlotRange) {
  const slots = db
    .selectFrom('energy_slots')
    .where('meter', '=', meter)
    .where('slot', '>=', from)
    .where('slot', '<', until)
  const sum = await slots
    .select(({ fn, eb }) => [
      fn.sum<number | null>('pv_wh').as('pv_wh'),
      fn.sum<number | null>('load_wh').as('load_wh'),
      fn.sum<number | null>('import_wh').as('import_wh'),
      fn.sum<number | null>('export_wh').as('export_wh'),
      fn.sum<number | null>('charge_wh').as('charge_wh'),
      fn.sum<number | null>('discharge_wh').as('discharge_wh'),
      fn.countAll<number>().as('slots'),
      fn.count<number>(eb.case().when('source', '=', 0).then(1).end()).as('from_gateway'),
      fn.count<number>(eb.case().when('source', '=', 1).then(1).end()).as('from_logger'),
      fn.count<number>(eb.case().when('source', '=', 2).then(1).end()).as('from_counter'),
    ])
    .executeTakeFirstOrThrow()
  const { slots: count, ...values } = sum
  if (count === 0) return undefined
  const newest = await slots.select('soc').where('soc', 'is not', null).orderBy('slot', 'desc').limit(1).execute()
  return { ...values, soc: newest[0]?.soc ?? null }
}

async function sumHours(trx: Db, meter: number, { from, until }: SlotRange): Promise<void> {
  for (let hour = Math.floor(from / slotsPerHour); hour * slotsPerHour < until; hour += 1) {
    const sum = await sumSlots(trx, meter, { from: hour * slotsPerHour, until: (hour + 1) * slotsPerHour })
    if (sum === undefined) continue
    await trx
      .insertInto('energy_hours')
      .values({ meter, hour, ...sum })
      .onConflict((conflict) => conflict.columns(['meter', 'hour']).doUpdateSet(sum))
      .execute()
  }
}

async function sumDay(trx: Db, meter: number, { date: day, from, until }: LocalDay): Promise<void> {
  const sum = await sumSlots(trx, meter, { from: slotAt(from), until: slotAt(until) })
  if (sum === undefined) return
  await trx
    .insertInto('energy_days')
    .values({ meter, day, ...sum })
    .onConflict((conflict) => conflict.columns(['meter', 'day']).doUpdateSet(sum))
    .execute()
}

/** Days to add up again, and the date from which on they are all there is. */
interface DaySums {
  readonly days: readonly LocalDay[]
  readonly from: string
}

/** Adds up days again, such as after a change of the time zone. They replace all that are stored from a date on. */
export async function sumDays(db: Db, meter: number, { days, from }: DaySums): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('energy_days').where('meter', '=', meter).where('day', '>=', from).execute()
    for (const day of days) await sumDay(trx, meter, day)
  })
}

/** Returns slots of a stretch, oldest first. */
export const slotRows = (db: Db, meter: number, { from, until }: SlotRange): Promise<EnergySlotRow[]> =>
  db
    .selectFrom('energy_slots')
    .selectAll()
    .where('meter', '=', meter)
    .where('slot', '>=', from)
    .where('slot', '<', until)
    .orderBy('slot')
    .execute()

/** Returns the newest slot that was measured, by this service or by the inverter itself. */
export const newestMeasured = (db: Db, meter: number): Promise<EnergySlotRow | undefined> =>
  db
    .selectFrom('energy_slots')
    .selectAll()
    .where('meter', '=', meter)
    .where('source', '<', 2)
    .orderBy('slot', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Returns hours of a stretch, oldest first. */
export const hourRows = (db: Db, meter: number, { from, until }: SlotRange): Promise<EnergyHourRow[]> =>
  db
    .selectFrom('energy_hours')
    .selectAll()
    .where('meter', '=', meter)
    .where('hour', '>=', from)
    .where('hour', '<', until)
    .orderBy('hour')
    .execute()

/** Returns days of a stretch, oldest first; dates compare as texts. */
export const dayRows = (
  db: Db,
  meter: number,
  { from, until }: { readonly from: string; readonly until: string },
): Promise<EnergyDayRow[]> =>
  db
    .selectFrom('energy_days')
    .selectAll()
    .where('meter', '=', meter)
    .where('day', '>=', from)
    .where('day', '<', until)
    .orderBy('day')
    .execute()

/** Returns the numbers of the slots of a stretch that the inverter's log has nothing to add to. */
export async function knownSlots(db: Db, meter: number, { from, until }: SlotRange): Promise<Set<number>> {
  const rows = await db
    .selectFrom('energy_slots')
    .select('slot')
    .where('meter', '=', meter)
    .where('slot', '>=', from)
    .where('slot', '<', until)
    .where('source', '<', 2)
    .execute()
  return new Set(rows.map(({ slot }) => slot))
}

/** Returns where the history of a meter begins: its oldest slot, first hour and first day, null while there is none. */
export async function beginOfHistory(db: Db, meter: number) {
  const { oldest } = await db
    .selectFrom('energy_slots')
    .select(({ fn }) => fn.min<number | null>('slot').as('oldest'))
    .where('meter', '=', meter)
    .executeTakeFirstOrThrow()
  const { firstHour } = await db
    .selectFrom('energy_hours')
    .select(({ fn }) => fn.min<number | null>('hour').as('firstHour'))
    .where('meter', '=', meter)
    .executeTakeFirstOrThrow()
  const { firstDay } = await db
    .selectFrom('energy_days')
    .select(({ fn }) => fn.min<string | null>('day').as('firstDay'))
    .where('meter', '=', meter)
    .executeTakeFirstOrThrow()
  return { oldest, firstHour, firstDay }
}

/** Returns what is stored of a meter: the number of its slots, and the newest one. */
export const extentOf = (db: Db, meter: number) =>
  db
    .selectFrom('energy_slots')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max<number | null>('slot').as('newest')])
    .where('meter', '=', meter)
    .executeTakeFirstOrThrow()

/** First times that are kept. */
export interface Retention {
  readonly slot: number
  readonly hour: number
  readonly day: string
}

/** Deletes what is older than its retention, some rows at a time. */
export async function deleteOld(db: Db, { slot, hour, day }: Retention): Promise<void> {
  for (const { number } of await allMeters(db)) {
    for (;;) {
      const { oldest } = await beginOfHistory(db, number)
      if (oldest === null || oldest >= slot) break
      const until = Math.min(slot, oldest + deletedAtOnce)
      await db.deleteFrom('energy_slots').where('meter', '=', number).where('slot', '<', until).execute()
    }
    await db.deleteFrom('energy_hours').where('meter', '=', number).where('hour', '<', hour).execute()
    await db.deleteFrom('energy_days').where('meter', '=', number).where('day', '<', day).execute()
  }
}

/** Deletes the history of a device. */
export async function deleteMeter(db: Db, deviceId: string): Promise<void> {
  const meter = await meterOf(db, deviceId)
  if (meter === undefined) return
  await db.transaction().execute(async (trx) => {
    for (const table of ['energy_slots', 'energy_hours', 'energy_days'] as const)
      await trx.deleteFrom(table).where('meter', '=', meter.number).execute()
    await trx.deleteFrom('energy_meters').where('device_id', '=', deviceId).execute()
  })
}
