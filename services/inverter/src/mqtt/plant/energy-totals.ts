import type { Kysely } from 'kysely'
import { parseJson } from '@hearth/runtime'
import { z } from 'zod'
import { energyNames, type EnergyName } from '../../history/quantities.ts'
import { plantId } from '../../plant/schema.ts'
import type { Tables } from '../../tables.ts'
import { allCounters, writeCounters } from '../store.ts'

/** An energy of the plant: what has grown since the plant was published first, and where the counters of its inverters stood. */
const Total = z.object({ total: z.number(), last: z.record(z.string(), z.number()) })
type Total = z.infer<typeof Total>

/** Energies that the inverters count themselves; what the house takes is known from none of their counters. */
export const plantEnergies = energyNames.filter((name) => name !== 'load_wh')

/** Energies of the plant as they are published, kept over restarts. */
export type EnergyTotals = Awaited<ReturnType<typeof openEnergyTotals>>

/** Reads the energies as they were published last. */
export async function openEnergyTotals(db: Kysely<Tables>) {
  const totals = new Map<EnergyName, Total>()
  for (const { device_id: id, metric, counter } of await allCounters(db)) {
    const name = plantEnergies.find((each) => each === metric)
    const found = id === plantId && name !== undefined ? Total.safeParse(parseJson(counter)) : undefined
    if (name !== undefined && found?.success === true) totals.set(name, found.data)
  }
  const changed = new Set<EnergyName>()
  return {
    /**
     * Returns an energy after the counters of an inverter, which never fall. An inverter that joins, leaves, or was away makes no
     * sum fall, and none jump by what it had counted before it joined.
     */
    add(name: EnergyName, deviceId: string, counted: number): number {
      const { total, last } = totals.get(name) ?? { total: 0, last: {} }
      const growth = Math.max(0, counted - (last[deviceId] ?? counted))
      const next: Total = { total: total + growth, last: { ...last, [deviceId]: counted } }
      totals.set(name, next)
      changed.add(name)
      return next.total
    },
    /** The energy as it stands; undefined before its first counter. */
    get: (name: EnergyName): number | undefined => totals.get(name)?.total,
    /** Forgets where the counters of inverters stood that do not count an energy any more. */
    keepOnly(countsEnergy: (deviceId: string, name: EnergyName) => boolean): void {
      for (const [name, { total, last }] of totals) {
        const kept = Object.entries(last).filter(([id]) => countsEnergy(id, name))
        if (kept.length === Object.keys(last).length) continue
        totals.set(name, { total, last: Object.fromEntries(kept) })
        changed.add(name)
      }
    },
    /** Stores what changed. */
    async store(): Promise<void> {
      const rows = Array.from(changed, (metric) => {
        return { device_id: plantId, metric, counter: JSON.stringify(totals.get(metric)) }
      })
      changed.clear()
      if (rows.length > 0) await writeCounters(db, rows)
    },
  }
}
