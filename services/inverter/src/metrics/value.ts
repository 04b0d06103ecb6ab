import type { CatalogObject } from '../catalog/catalog.ts'
import { decodeCells, decodeCellsResist, decodeCellsStat } from '../protocol/battery-cells.ts'
import { decodeSlaveData } from '../protocol/slave-data.ts'
import { decodeValue, encodeValue, type WireValue } from '../protocol/wire-value.ts'

/** A value as the API reports it. */
export type ApiValue = number | boolean | string | Readonly<Record<string, unknown>>

/**
 * The value behind an answer's payload, in the unit of the metric. Throws a `DecodeError` when the bytes cannot be one of
 * the object's type. Objects that hold more than one value come as an object.
 */
export function apiValueOf(object: CatalogObject, payload: Uint8Array): ApiValue {
  const structure = object.structHint === undefined ? undefined : structures[object.structHint]
  if (structure !== undefined) return structure(payload)
  const value = decodeValue(object.type, payload)
  // Seven digits are all a 32-bit float holds: 0.7 on the wire is 70 %, not 69.99999880790710.
  return object.scale === 1 || typeof value !== 'number' ? value : Number((value * object.scale).toPrecision(7))
}

type Structure = Readonly<Record<string, unknown>>

/** Objects that the vendor lists as text, and what their bytes are. */
const structures: Readonly<Record<string, (payload: Uint8Array) => Structure>> = {
  slave_data: (payload) => onWire(decodeSlaveData(payload)),
  battery_cell_status_96: (payload) => ({ cells: decodeCells(payload) }),
  battery_cell_statistics_48: (payload) => onWire(decodeCellsStat(payload)),
  battery_cell_resistance_96: (payload) => ({ milliohms: decodeCellsResist(payload) }),
}

/** Members by their names on the API: `networkId` is `network_id`. */
function onWire(record: object): Structure {
  const named = Object.entries(record).map(([name, value]: [string, unknown]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  return Object.fromEntries(named) as Structure
}

/** The payload that writes a value given in the unit of the metric. */
export function payloadOf(object: CatalogObject, value: WireValue): Uint8Array {
  const wire = typeof value === 'number' ? value / object.scale : value
  return encodeValue(object.type, wire, object.width === undefined ? {} : { width: object.width })
}

/** Returns true if a register that was written reads as it should; a float is rounded to 32 bits on its way. */
export function isSameValue(object: CatalogObject, written: WireValue, read: ApiValue): boolean {
  if (typeof written !== 'number' || typeof read !== 'number') return written === read
  if (object.type !== 'float') return written === read
  return (
    Math.fround(written / object.scale) === Math.fround(read / object.scale) ||
    Math.fround(written) === Math.fround(read)
  )
}

/** Text of an enumerated value, or null when it has none. */
export function labelOf(object: CatalogObject, value: ApiValue): string | null {
  return typeof value === 'number' ? (object.enumLabels?.get(value) ?? null) : null
}

/** A value as a person reads it; a structure as JSON. */
export function textOf(value: ApiValue): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
