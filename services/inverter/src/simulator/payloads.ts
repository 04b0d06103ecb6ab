import type { CatalogObject } from '../catalog/catalog.ts'
import { cellsPerModule, encodeCells, encodeCellsResist, encodeCellsStat } from '../protocol/battery-cells.ts'
import { encodeEventTable, parameterChanged } from '../protocol/event-table.ts'
import { encodeSlaveData } from '../protocol/slave-data.ts'
import { encodeTimeSeries } from '../protocol/time-series.ts'
import { noiseAt, smoothNoise } from './seeded-noise.ts'

/** Bytes of the battery objects that the vendor lists as text; undefined for every other object. */
export function binaryPayload(object: CatalogObject, seed: number): Uint8Array | undefined {
  const noise = (step: number) => noiseAt(seed + object.objectId, step)
  const everyCell = <T>(make: (cell: number) => T): T[] =>
    Array.from({ length: cellsPerModule }, (_, cell) => make(cell))
  switch (object.structHint ?? '') {
    case 'battery_cell_status_96':
      return encodeCells(
        everyCell((cell) => ({
          temperature: 22 + Math.floor(noise(cell) * 4),
          millivolts: 3310 + Math.floor(noise(cell + 100) * 30),
          status: 0,
        })),
      )
    case 'battery_cell_statistics_48':
      return encodeCellsStat({
        lowestVoltage: extreme(noise(0), 3.05),
        highestVoltage: extreme(noise(1), 3.42),
        lowestTemperature: extreme(noise(2), 11),
        highestTemperature: extreme(noise(3), 31),
      })
    case 'battery_cell_resistance_96':
      return encodeCellsResist(everyCell((cell) => 2.5 + Math.round(noise(cell) * 40) / 256))
    default:
      return undefined
  }
}

const extreme = (noise: number, value: number) => ({
  cell: Math.floor(noise * cellsPerModule),
  at: 1_700_000_000,
  value,
})

/** A further inverter of the plant as its master describes it. */
export interface SimulatedSlave {
  readonly networkId: number
  readonly name: string
  readonly serial: string
}

/** Encodes a master's answer about one of its slaves. */
export function slavePayload({ networkId, name, serial }: SimulatedSlave): Uint8Array {
  return encodeSlaveData({
    networkId,
    name,
    acPower: 1200,
    batteryPower: -250,
    stateOfCharge: 0.75,
    faultIndex: 0,
    isBatterySupported: true,
    isBatteryConnected: true,
    isDcSupported: true,
    hasExternalPower: false,
    deviceState: 13,
    externalPower: 0,
    softwareVersion: '2.3.5687',
    serialNumber: serial,
    completeness: 1,
    bmsSoftware: 0,
  })
}

/** Maximum number of rows of an answer, so that a frame stays below the limit of 4096 bytes. */
const rows = 60

/** Seconds between two points of a series. */
const raster = 300

/** Encodes a time series before a time, newest first. */
export function timeSeriesPayload(before: number, seed: number): Uint8Array {
  const newest = Math.floor(before / raster) * raster
  const times = Array.from({ length: rows }, (_, row) => newest - row * raster)
  return encodeTimeSeries({ before, points: times.map((time) => ({ time, value: smoothNoise(seed, time / 3600) })) })
}

/** Encodes the event table before a time: a fault that lasted, and a parameter that was changed. */
export function eventTablePayload(before: number): Uint8Array {
  const rows = [
    { type: 0x5a, time: before - 90_000, e2: before - 89_700, e3: 0, e4: 0 },
    { type: parameterChanged, time: before - 3600, e2: 0x9595_930f, e3: 0, e4: 1 },
    { type: parameterChanged, time: before - 1800, e2: 0x9c8f_e559, e3: 0, e4: 30 },
  ]
  return encodeEventTable({ before, rows })
}
