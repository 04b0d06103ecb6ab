import type { CatalogObject } from '../catalog/catalog.ts'
import { cellsPerModule, encodeCells, encodeCellsResist, encodeCellsStat } from '../protocol/battery-cells.ts'
import { encodeSlaveData } from '../protocol/slave-data.ts'
import { noiseAt } from './seeded-noise.ts'

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

/** A further inverter of the plant as its master tells of it. */
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
