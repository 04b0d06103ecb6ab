import type { Catalog } from '../../catalog/catalog.ts'
import type { DeviceRuntime } from '../../devices/device-runtime.ts'
import type { EnergyName } from '../../history/quantities.ts'
import { energyCounters } from '../../history/sampler.ts'
import { readBatch } from '../../metrics/read-batch.ts'
import type { PlantInverter } from '../../plant/schema.ts'
import type { CounterValues } from '../counter-values.ts'
import { plantEnergies, type EnergyTotals } from './energy-totals.ts'

interface EnergySources {
  readonly catalog: Catalog
  readonly devices: readonly DeviceRuntime[]
  readonly counters: CounterValues
  readonly totals: EnergyTotals
}

/** Takes the counters of the inverters of a plant that answer. The grid is counted by the first whose sensor sees it. */
export async function addEnergies(inverters: readonly PlantInverter[], sources: EnergySources): Promise<void> {
  const { catalog, devices, counters, totals } = sources
  const meter = inverters.find(({ sees_grid: seesGrid }) => seesGrid)?.device_id
  const countsEnergy = (id: string, name: EnergyName) => id === meter || (name !== 'import_wh' && name !== 'export_wh')
  totals.keepOnly((id, name) => inverters.some((each) => each.device_id === id) && countsEnergy(id, name))
  const addFrom = async (id: string) => {
    const runtime = devices.find(({ deviceId }) => deviceId === id)
    if (runtime === undefined) return
    const names = plantEnergies.filter((name) => countsEnergy(id, name))
    const objects = names.flatMap((name) => energyCounters[name].map((metric) => catalog.byName(metric)))
    const wanted = objects.filter((object) => object !== undefined)
    const { metrics } = await readBatch(runtime, wanted, false).catch(() => ({ metrics: [] }))
    for (const name of names) {
      const values = energyCounters[name].map((metric) => {
        const object = catalog.byName(metric)
        const found = metrics.find((each) => each.name === metric && !each.stale)
        return object !== undefined && typeof found?.value === 'number'
          ? counters.next(id, object, found.value)
          : undefined
      })
      const known = values.filter((value) => value !== undefined)
      if (known.length === values.length)
        totals.add(
          name,
          id,
          known.reduce((sum, value) => sum + value, 0),
        )
    }
  }
  // They do not wait for each other.
  await Promise.all(inverters.map(({ device_id: id }) => addFrom(id)))
}
