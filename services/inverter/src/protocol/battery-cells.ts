import { DecodeError } from './wire-value.ts'

/** One cell of a battery module, of `battery.cells[0..6]`. */
export interface Cell {
  /** Degrees Celsius. */
  readonly temperature: number
  readonly millivolts: number
  readonly status: number
}

/** An extreme value one cell ever had. */
export interface CellExtreme {
  /** Number of the cell in its module. */
  readonly cell: number
  /** Seconds since the epoch. */
  readonly at: number
  /** Volts or degrees Celsius; null when the device has no number for it. */
  readonly value: number | null
}

/** The extremes of one battery module, of `battery.cells_stat[0..6]`. */
export interface CellExtremes {
  readonly lowestVoltage: CellExtreme
  readonly highestVoltage: CellExtreme
  readonly lowestTemperature: CellExtreme
  readonly highestTemperature: CellExtreme
}

/** Cells in a module. */
export const cellsPerModule = 24

const cellWidth = 4
const extremeWidth = 12

/** Reads `battery.cells[n]`: the cells of one module in order. Throws a DecodeError unless it has 96 bytes. */
export function decodeCells(payload: Uint8Array): Cell[] {
  const view = viewOf(payload, cellsPerModule * cellWidth)
  return everyCell((at) => ({
    temperature: view.getUint8(at),
    millivolts: view.getUint16(at + 1, true),
    status: view.getUint8(at + 3),
  }))
}

/** The payload for the cells of one module. Missing cells are zero. */
export function encodeCells(cells: readonly Cell[]): Uint8Array {
  const view = emptyView(cellsPerModule * cellWidth)
  for (const [index, cell] of cells.slice(0, cellsPerModule).entries()) {
    view.setUint8(index * cellWidth, cell.temperature)
    view.setUint16(index * cellWidth + 1, cell.millivolts, true)
    view.setUint8(index * cellWidth + 3, cell.status)
  }
  return bytesOf(view)
}

/** Reads `battery.cells_stat[n]`. Throws a DecodeError unless it has 48 bytes. */
export function decodeCellsStat(payload: Uint8Array): CellExtremes {
  const view = viewOf(payload, 4 * extremeWidth)
  const extreme = (index: number): CellExtreme => {
    const at = index * extremeWidth
    const value = view.getFloat32(at + 8, true)
    return {
      cell: view.getUint32(at, true),
      at: view.getUint32(at + 4, true),
      value: Number.isFinite(value) ? value : null,
    }
  }
  return {
    lowestVoltage: extreme(0),
    highestVoltage: extreme(1),
    lowestTemperature: extreme(2),
    highestTemperature: extreme(3),
  }
}

/** The payload for the extremes of one module. */
export function encodeCellsStat(extremes: CellExtremes): Uint8Array {
  const { lowestVoltage, highestVoltage, lowestTemperature, highestTemperature } = extremes
  const view = emptyView(4 * extremeWidth)
  for (const [index, extreme] of [lowestVoltage, highestVoltage, lowestTemperature, highestTemperature].entries()) {
    view.setUint32(index * extremeWidth, extreme.cell, true)
    view.setUint32(index * extremeWidth + 4, extreme.at, true)
    view.setFloat32(index * extremeWidth + 8, extreme.value ?? Number.NaN, true)
  }
  return bytesOf(view)
}

/** Reads `battery.cells_resist[n]`: milliohms of the cells of one module in order. Throws a DecodeError unless it has 96 bytes. */
export function decodeCellsResist(payload: Uint8Array): number[] {
  const view = viewOf(payload, cellsPerModule * cellWidth)
  return everyCell((at) => view.getUint16(at) / 256)
}

/** The payload for the resistances of one module, milliohms below 256. Missing cells are zero. */
export function encodeCellsResist(milliohms: readonly number[]): Uint8Array {
  const view = emptyView(cellsPerModule * cellWidth)
  for (const [index, value] of milliohms.slice(0, cellsPerModule).entries())
    view.setUint16(index * cellWidth, Math.round(value * 256))
  return bytesOf(view)
}

function everyCell<T>(read: (at: number) => T): T[] {
  return Array.from({ length: cellsPerModule }, (_, index) => read(index * cellWidth))
}

function viewOf(payload: Uint8Array, width: number): DataView {
  if (payload.length !== width)
    throw new DecodeError('wrong_width', `${payload.length} bytes where these battery data have ${width}`)
  return new DataView(payload.buffer, payload.byteOffset, width)
}

function emptyView(width: number): DataView<ArrayBuffer> {
  return new DataView(new ArrayBuffer(width))
}

function bytesOf(view: DataView<ArrayBuffer>): Uint8Array {
  return new Uint8Array(view.buffer)
}
