import type { Catalog } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'

/** A value from the cache, as the device counts; null when there is none. */
export interface Reading {
  readonly value: number | null
  readonly age_seconds: number | null
  readonly stale: boolean
}

type Name = 'battery_soc' | 'grid_power' | 'pv_power' | 'household_load' | 'battery_power'

/** Readings that pages show beside the commands: percent and watts. A missing one was never read. */
export type Readings = Partial<Record<Name, Reading>>

const sources: Readonly<Record<Name, readonly string[]>> = {
  battery_soc: ['battery_soc'],
  grid_power: ['grid_power'],
  pv_power: ['solar_a_power', 'solar_b_power'],
  household_load: ['household_load_power'],
  battery_power: ['battery_power'],
}

/** The energy flow of a device, from the cache where it is young enough; the state of charge in percent. */
export async function readEnergy(runtime: DeviceRuntime | undefined, catalog: Catalog): Promise<Readings> {
  const readings: Readings = {}
  for (const [name, metrics] of Object.entries(sources) as [Name, readonly string[]][]) {
    const reading = runtime === undefined ? nothing : await sum(runtime, metrics, catalog)
    const isRatio = name === 'battery_soc' && reading.value !== null
    readings[name] = isRatio ? { ...reading, value: Number((reading.value * 100).toFixed(1)) } : reading
  }
  return readings
}

const nothing: Reading = { value: null, age_seconds: null, stale: true }

async function sum({ reader }: DeviceRuntime, metrics: readonly string[], catalog: Catalog): Promise<Reading> {
  let total: Reading = { value: 0, age_seconds: 0, stale: false }
  for (const name of metrics) {
    const object = catalog.byName(name)
    if (object === undefined) return nothing
    try {
      const { cached, staleReason } = await reader.read(object)
      const age = Math.round(reader.cache.age(cached)) / 1000
      total = {
        value: (total.value ?? 0) + Number(cached.value),
        age_seconds: Math.max(total.age_seconds ?? 0, age),
        stale: total.stale || staleReason !== null,
      }
    } catch {
      return nothing
    }
  }
  return total
}
