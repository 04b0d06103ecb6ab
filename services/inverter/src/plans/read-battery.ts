import type { Catalog } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import { readBatch } from '../metrics/read-batch.ts'
import type { BatteryReading } from './dependencies.ts'

/** Oldest state of charge that a plan begins with, seconds. */
const maxAgeSeconds = 600

/** Reads what a battery says of itself, from the cache where it is young enough; nothing while the inverter does not answer. */
export async function readBattery(runtime: DeviceRuntime | undefined, catalog: Catalog): Promise<BatteryReading> {
  const objects = ['battery_soc', 'power_mng_soc_min']
    .map((name) => catalog.byName(name))
    .filter((object) => object !== undefined)
  if (runtime === undefined) return { soc: null, minSoc: null, isStale: false }
  const { metrics } = await readBatch(runtime, objects, false).catch(() => ({ metrics: [] }))
  const ratio = (name: string): number | null => {
    const found = metrics.find((metric) => metric.name === name)
    const value = Number(found?.value)
    const isGood = found !== undefined && found.age_seconds <= maxAgeSeconds && value >= 0 && value <= 1
    return isGood ? value : null
  }
  const isStale = metrics.find(({ name }) => name === 'battery_soc')?.stale === true
  return { soc: ratio('battery_soc'), minSoc: ratio('power_mng_soc_min'), isStale }
}
