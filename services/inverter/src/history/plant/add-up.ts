import type { Kysely } from 'kysely'
import type { PlantInverter } from '../../plant/schema.ts'
import type { EnergyMeterRow, EnergySlotRow, Tables } from '../../tables.ts'
import type { LocalDays } from '../local-days.ts'
import { beginOfHistory, meterOf, putSlots, removeSlots, slotRows, type SlotRange } from '../store.ts'
import { combineSlots, type PlantMeter } from './combine-slots.ts'

type Db = Kysely<Tables>

/** Returns the inverters of a plant that have a history. */
export async function plantMeters(db: Db, inverters: readonly PlantInverter[]): Promise<PlantMeter[]> {
  const meters: PlantMeter[] = []
  for (const { device_id: id, sees_grid: seesGrid } of inverters) {
    const row = await meterOf(db, id)
    const oldest = row === undefined ? null : (await beginOfHistory(db, row.number)).oldest
    if (row !== undefined && oldest !== null)
      meters.push({ number: row.number, seesGrid, firstSlot: oldest, capacityWh: row.capacity_wh })
  }
  return meters
}

/** A stretch of a plant's history that is added up from its inverters. */
export interface AddUp {
  /** The meter of the plant. */
  readonly plant: Pick<EnergyMeterRow, 'device_id' | 'number'>
  readonly inverters: readonly PlantInverter[]
  readonly range: SlotRange
  readonly days: LocalDays
}

/** Adds the slots of a stretch up anew, inside a transaction. */
export async function addUp(trx: Db, { plant, inverters, range, days }: AddUp): Promise<void> {
  const meters = await plantMeters(trx, inverters)
  const bySlot = new Map<number, Map<number, EnergySlotRow>>()
  for (const { number } of meters)
    for (const row of await slotRows(trx, number, range)) {
      const rows = bySlot.get(row.slot) ?? new Map<number, EnergySlotRow>()
      bySlot.set(row.slot, rows.set(number, row))
    }
  const slots = Array.from(bySlot)
    .toSorted(([a], [b]) => a - b)
    .flatMap(([slot, rows]) => combineSlots(slot, meters, rows) ?? [])
  const capacity = meters.reduce((sum, { capacityWh }) => sum + (capacityWh ?? 0), 0)
  await removeSlots(trx, plant.number, range)
  await putSlots(trx, { meter: plant, slots, days, change: { capacity_wh: capacity === 0 ? null : capacity } })
}
