import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import { decodeValue, encodeValue, type WireValue } from '../protocol/wire-value.ts'
import { binaryPayload } from './payloads.ts'
import { noiseAt } from './seeded-noise.ts'

/** Texts are padded to this length, bytes. */
const textLength = 32

/** The objects of one simulated inverter and what they hold, in the units of the wire. */
export class RegisterFile {
  readonly #catalog: Catalog
  readonly #values = new Map<string, WireValue>()
  readonly #written = new Set<string>()
  readonly #seed: number

  constructor(catalog: Catalog, options: { seed: number; now: number }) {
    this.#catalog = catalog
    this.#seed = options.seed
    for (const object of catalog.objects) this.#values.set(object.name, factoryValue(object, options))
  }

  get(name: string): WireValue {
    const value = this.#values.get(name)
    if (value === undefined) throw new RangeError(`the inverter has no ${name}`)
    return value
  }

  /** Sets a value as the inverter itself would. */
  set(name: string, value: WireValue): void {
    this.get(name)
    this.#values.set(name, value)
  }

  /** The bytes an answer carries. */
  payload(objectId: number): Uint8Array | undefined {
    const object = this.#catalog.byId(objectId)
    if (object === undefined) return undefined
    return binaryPayload(object, this.#seed) ?? this.#encoded(object)
  }

  /** Takes a value that a client wrote; false when the object is unknown or the bytes do not fit its type. */
  write(objectId: number, payload: Uint8Array): boolean {
    const object = this.#catalog.byId(objectId)
    if (object === undefined) return false
    try {
      this.#values.set(object.name, decodeValue(object.type, payload))
      this.#written.add(object.name)
      return true
    } catch {
      return false
    }
  }

  /** Writable settings that a client changed, by metric name. */
  snapshot(): Record<string, WireValue> {
    return Object.fromEntries([...this.#written].sort().map((name) => [name, this.get(name)]))
  }

  restore(values: Readonly<Record<string, WireValue>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (!this.#values.has(name)) continue
      this.#values.set(name, value)
      this.#written.add(name)
    }
  }

  #encoded(object: CatalogObject): Uint8Array {
    const value = this.get(object.name)
    const bytes = encodeValue(object.type, value, object.width === undefined ? {} : { width: object.width })
    if (object.type !== 'string' || bytes.length >= textLength) return bytes
    const padded = new Uint8Array(textLength)
    padded.set(bytes)
    return padded
  }
}

/** Firmware revision of the simulated inverter. */
export const simulatedFirmware = '5687'

/** Values a real inverter shows and the type alone does not suggest. */
const known: Readonly<Record<string, WireValue>> = {
  power_mng_soc_strategy: 4,
  power_mng_soc_target_set: 0.5,
  power_mng_soc_min: 0.07,
  power_mng_soc_max: 0.97,
  power_mng_battery_power_extern: 0,
  power_mng_use_grid_power_enable: false,
  power_mng_battery_type: 3,
  power_mng_bat_calib_reqularity: 30,
  inverter_state: 13,
  inverter_serial: 'SIM000000001',
  svnversion: simulatedFirmware,
  svnversion_factory: '5400',
  svnversion_last_known: '5687',
  grid_frequency: 50,
  battery_status: 0,
  battery_status2: 0,
  battery_bat_status: 3,
  battery_soh: 0.97,
  battery_cycles: 212,
  battery_ah_capacity: 25,
  battery_efficiency: 0.94,
  battery_soc_target: 0.07,
  battery_soc_target_low: 0.07,
  battery_soc_target_high: 0.97,
  battery_bms_sn: 'SIMBMS0001',
  com_service: 0,
  pas_period: 0,
  fault_0_flt: 0,
  fault_1_flt: 0,
  fault_2_flt: 0,
  fault_3_flt: 0,
}

const centres: Readonly<Record<string, number>> = {
  V: 230,
  W: 120,
  A: 3,
  Wh: 1500,
  VA: 130,
  var: 15,
  Hz: 50,
  Ah: 25,
  Ohm: 1,
  s: 60,
  '°C': 28,
  '%': 50,
  d: 30,
  ratio: 0.5,
}

/** Returns the factory value of an object: of the right type, near what its unit suggests. */
function factoryValue(object: CatalogObject, { seed, now }: { seed: number; now: number }): WireValue {
  const fixed = known[object.name]
  if (fixed !== undefined) return fixed
  if (object.name === 'power_mng_bat_next_calib_date') return Math.floor(now / 1000) + 12 * 86_400
  const module = /^battery_module_sn_(\d)$/.exec(object.name)
  if (module !== null) return Number(module[1]) < 4 ? `SIMMOD000${Number(module[1]) + 1}` : ''
  // The place for a second battery is empty.
  if (object.name.startsWith('battery_placeholder_')) return { string: '', bool: false }[object.type as string] ?? 0
  const noise = noiseAt(seed, object.objectId)
  switch (object.type) {
    case 'bool':
      return noise > 0.7
    case 'float':
      return Math.fround((centres[object.unit ?? ''] ?? 1) * (0.95 + 0.1 * noise))
    case 'string':
      return object.name.includes('sn') ? `SIM${String(Math.floor(noise * 1e9)).padStart(9, '0')}` : ''
    case 'enum':
      return Math.floor(noise * Math.max(1, Math.min(4, object.enumLabels?.size ?? 1)))
    case 'uint32':
      return /time|date/.test(object.name) ? Math.floor(now / 1000) : Math.floor(noise * 1000)
    case 'struct':
      return ''
    case 'int8':
    case 'uint8':
    case 'int16':
    case 'uint16':
    case 'int32':
      return Math.floor(noise * 100)
  }
}
