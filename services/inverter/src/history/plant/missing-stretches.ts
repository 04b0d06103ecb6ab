import type { Kysely } from 'kysely'
import type { PlantInverter } from '../../plant/schema.ts'
import type { Tables } from '../../tables.ts'
import { startOfSlot } from '../quantities.ts'
import type { EnergyHistory } from '../schema.ts'
import { slotRows, type SlotRange } from '../store.ts'
import { plantMeters } from './add-up.ts'

type Stretch = EnergyHistory['missing'][number]

/** Returns when something of which inverter is missing, so that the plant cannot be added up. */
export async function missingStretches(
  db: Kysely<Tables>,
  inverters: readonly PlantInverter[],
  { from, until }: SlotRange,
): Promise<Stretch[]> {
  const missing: Stretch[] = []
  for (const inverter of inverters) {
    const [meter] = await plantMeters(db, [inverter])
    if (meter === undefined) continue
    const known = new Set((await slotRows(db, meter.number, { from, until })).map(({ slot }) => slot))
    let begin: number | undefined
    for (let slot = Math.max(from, meter.firstSlot); slot <= until; slot += 1) {
      const isMissing = slot < until && !known.has(slot)
      if (isMissing) begin ??= slot
      else if (begin !== undefined) {
        missing.push({ device_id: inverter.device_id, from: isoOf(begin), until: isoOf(slot) })
        begin = undefined
      }
    }
  }
  return missing.toSorted((a, b) => a.from.localeCompare(b.from))
}

const isoOf = (slot: number): string => new Date(startOfSlot(slot)).toISOString()
