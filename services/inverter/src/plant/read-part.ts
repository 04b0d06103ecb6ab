import type { Capability } from '../capabilities/schema.ts'
import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceRuntime } from '../devices/device-runtime.ts'
import type { MeasuredPart } from './plant-now.ts'

/** Powers of one inverter, watts; null for what it does not measure. Import and discharge are positive. */
export type PartReadings = Pick<MeasuredPart, 'pv_w' | 'battery_w' | 'ac_w' | 'soc_percent' | 'gridW'>

/** Oldest value that counts as one of now, milliseconds: those that come by themselves come twice a minute. */
const maxAge = 60_000

/** Oldest power that an inverter gives, which never comes by itself, milliseconds. */
const maxAcAge = 10_000

const acPower = 'ac_power'

/** The inverter gives no value now. */
class Away extends Error {}

interface PartSource {
  readonly runtime: DeviceRuntime
  readonly catalog: Catalog
  readonly capabilities: readonly Capability[]
  /** Nothing is requested: what is not in the cache is not known. */
  readonly isCachedOnly: boolean
}

/** Reads an inverter of the plant; undefined while it gives no values. */
export async function readPart({
  runtime,
  catalog,
  capabilities,
  isCachedOnly,
}: PartSource): Promise<PartReadings | undefined> {
  const read = async (name: string, age = maxAge): Promise<number | null> => {
    const object = catalog.byName(name)
    if (object === undefined) return null
    const { reader } = runtime
    const reading = isCachedOnly
      ? cachedOf(runtime, object)
      : await reader.read(object, { maxAge: age }).catch(() => undefined)
    if (reader.isLeftOut(object)) return null
    if (reading === undefined || reading.staleReason !== null) {
      // Sun and battery stand in for a power that was not read lately.
      if (isCachedOnly && name === acPower) return null
      throw new Away(name)
    }
    const { value } = reading.cached
    return typeof value === 'number' && Number.isFinite(value) ? value : null
  }
  const signed = (watts: number | null, field: 'grid_import_positive' | 'battery_discharge_positive') =>
    watts === null || capabilities.every((record) => record[field] !== false) ? watts : -watts
  try {
    const [a, b] = [await read('solar_a_power'), await read('solar_b_power')]
    const pv = a === null && b === null ? null : Math.max(0, a ?? 0) + Math.max(0, b ?? 0)
    const battery = signed(await read('battery_power'), 'battery_discharge_positive')
    const soc = await read('battery_soc')
    const grid = signed(await read('grid_power'), 'grid_import_positive')
    const ac = (await read(acPower, maxAcAge)) ?? (pv === null ? null : pv + (battery ?? 0))
    const round = (watts: number | null) => (watts === null ? null : Math.round(watts))
    return {
      pv_w: round(pv),
      battery_w: round(battery),
      ac_w: round(ac),
      gridW: round(grid),
      soc_percent: soc === null ? null : Math.round(soc * 1000) / 10,
    }
  } catch (error) {
    if (error instanceof Away) return undefined
    throw error
  }
}

/** The value in the cache, while it may be shown. */
function cachedOf({ reader: { cache } }: DeviceRuntime, { name }: CatalogObject) {
  const cached = cache.get(name)
  return cached === undefined || !cache.isUsable(name, cached) ? undefined : { cached, staleReason: null }
}
