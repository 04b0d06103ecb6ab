import type { CatalogObject } from '../../catalog/catalog.ts'
import type { ApiValue } from '../../metrics/value.ts'
import { labelOf } from '../../metrics/value.ts'

/** How Home Assistant takes a quantity. */
export interface Quantity {
  readonly unit_of_measurement?: string
  readonly device_class?: string
  readonly state_class?: 'measurement' | 'total_increasing'
  readonly suggested_display_precision?: number
}

const measured = (unit: string, deviceClass: string | undefined, places: number): Quantity => ({
  unit_of_measurement: unit,
  ...(deviceClass === undefined ? {} : { device_class: deviceClass }),
  state_class: 'measurement',
  suggested_display_precision: places,
})

/** Quantities by the unit of the catalog. */
const quantities: Readonly<Record<string, Quantity>> = {
  V: measured('V', 'voltage', 1),
  A: measured('A', 'current', 1),
  W: measured('W', 'power', 0),
  VA: measured('VA', 'apparent_power', 0),
  var: measured('var', 'reactive_power', 0),
  Hz: measured('Hz', 'frequency', 2),
  '°C': measured('°C', 'temperature', 1),
  Ah: measured('Ah', undefined, 1),
  Ohm: measured('Ω', undefined, 0),
  s: measured('s', 'duration', 0),
  d: measured('d', 'duration', 0),
  '%': measured('%', undefined, 1),
  // A share on the API; 0.5 is published as 50.
  ratio: measured('%', 'battery', 1),
  // Every Wh of the catalog counts what has flowed, today or in total. The class energy_storage would be for a content.
  Wh: {
    unit_of_measurement: 'Wh',
    device_class: 'energy',
    state_class: 'total_increasing',
    suggested_display_precision: 0,
  },
}

/** Counters that have another unit than Wh, or none. */
const otherCounters = /^(?:battery_(?:dis)?charged_amp_hours|battery_(?:placeholder_0_)?(?:stack_)?cycles(?:_\d)?)$/

/** Metrics that hold seconds since the epoch; 0 stands for no time. */
const timestamps = new Set(['power_mng_bat_next_calib_date'])

/** Maximum length of a state in Home Assistant, characters. */
const maxState = 255

/** State that Home Assistant shows as unknown. */
export const unknownState = 'None'

/** Returns true if the object counts up: its published value must not fall. */
export const isCounter = ({ unit, name }: Pick<CatalogObject, 'unit' | 'name'>): boolean =>
  unit === 'Wh' || otherCounters.test(name)

/** Returns true if the object is one that is shown as a time. */
export const isTimestamp = ({ name }: Pick<CatalogObject, 'name'>): boolean => timestamps.has(name)

/** Returns unit, classes and precision of a number; an object that is no number has none. */
export function quantityOf(object: CatalogObject): Quantity {
  if (isTimestamp(object)) return { device_class: 'timestamp' }
  if (object.valueType !== 'number' && object.valueType !== 'integer') return {}
  const quantity = object.unit === null ? undefined : quantities[object.unit]
  if (isCounter(object)) return { ...quantity, state_class: 'total_increasing' }
  if (quantity !== undefined) return quantity
  return object.valueType === 'number' ? { state_class: 'measurement' } : {}
}

/** Factor from the API's value to the published one. */
export const factorOf = ({ unit }: Pick<CatalogObject, 'unit'>): number => (unit === 'ratio' ? 100 : 1)

/** Returns the payload of a value: what the state topic carries. Never empty, which would delete the retained message. */
export function stateOf(object: CatalogObject, value: ApiValue): string {
  if (isTimestamp(object)) return typeof value === 'number' && value > 0 ? timeOf(value) : unknownState
  if (object.enumLabels !== undefined) return labelOf(object, value) ?? unknownState
  if (typeof value === 'number') return numberText(value * factorOf(object))
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value).slice(0, maxState)
  return text.trim() === '' ? unknownState : text
}

/** Writes a number with the seven digits that a 32-bit float holds; whole numbers keep all of theirs. */
export const numberText = (value: number): string =>
  Number.isSafeInteger(value) ? String(value) : String(Number(value.toPrecision(7)))

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString()
