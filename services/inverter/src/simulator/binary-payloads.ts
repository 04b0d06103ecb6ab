import type { CatalogObject } from '../catalog/catalog.ts'
import { noiseAt } from './seeded-noise.ts'

/** Bytes of the battery objects that the vendor lists as text; undefined for every other object. */
export function binaryPayload(object: CatalogObject, seed: number): Uint8Array | undefined {
  if (object.structHint === 'battery_cell_status_96') return cellStatus(seed + object.objectId)
  if (object.structHint === 'battery_cell_statistics_48') return cellStatistics(seed + object.objectId)
  if (object.structHint === 'battery_cell_resistance_96') return cellResistance(seed + object.objectId)
  return undefined
}

/** 24 cells: temperature, millivolts (little endian), status. */
function cellStatus(seed: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(96))
  for (let cell = 0; cell < 24; cell += 1) {
    view.setUint8(cell * 4, 22 + Math.floor(noiseAt(seed, cell) * 4))
    view.setUint16(cell * 4 + 1, 3310 + Math.floor(noiseAt(seed, cell + 100) * 30), true)
  }
  return new Uint8Array(view.buffer)
}

/** Lowest and highest voltage, lowest and highest temperature: cell, time and value, little endian. */
function cellStatistics(seed: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(48))
  for (const [index, value] of [3.05, 3.42, 11, 31].entries()) {
    view.setUint32(index * 12, Math.floor(noiseAt(seed, index) * 24), true)
    view.setUint32(index * 12 + 4, 1_700_000_000, true)
    view.setFloat32(index * 12 + 8, value, true)
  }
  return new Uint8Array(view.buffer)
}

/** 24 cells: resistance in 1/256 milliohm (big endian) and two bytes of nothing. */
function cellResistance(seed: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(96))
  for (let cell = 0; cell < 24; cell += 1) view.setUint16(cell * 4, 640 + Math.floor(noiseAt(seed, cell) * 40))
  return new Uint8Array(view.buffer)
}

/** A further inverter of the plant as its master tells of it. */
export interface SimulatedSlave {
  readonly networkId: number
  readonly name: string
  readonly serial: string
}

/** 108 bytes of slave data, little endian. */
export function slavePayload({ networkId, name, serial }: SimulatedSlave): Uint8Array {
  const bytes = Buffer.alloc(108)
  bytes.writeUInt32LE(networkId, 0)
  bytes.write(name.slice(0, 23), 4, 'utf8')
  bytes.writeFloatLE(1200, 28)
  bytes.writeFloatLE(-250, 32)
  bytes.writeFloatLE(0.75, 36)
  bytes.writeUInt8(7, 42)
  bytes.writeUInt8(13, 43)
  bytes.write('2.3.5687', 48, 'utf8')
  bytes.write(serial.slice(0, 15), 64, 'utf8')
  bytes.writeUInt32LE(1, 80)
  return new Uint8Array(bytes)
}
