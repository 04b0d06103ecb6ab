import { smoothNoise } from './seeded-noise.ts'

/** Rows an answer carries at most, so that a frame stays below the limit of 4096 bytes. */
const rows = 60

/** Seconds between two points of a series. */
const raster = 300

/** Encodes a time series before a time: the time, then pairs of time and value, newest first. */
export function timeSeriesPayload(before: number, seed: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 + rows * 8))
  view.setUint32(0, before)
  const newest = Math.floor(before / raster) * raster
  for (let row = 0; row < rows; row += 1) {
    const time = newest - row * raster
    view.setUint32(4 + row * 8, time)
    view.setFloat32(8 + row * 8, smoothNoise(seed, time / 3600))
  }
  return new Uint8Array(view.buffer)
}

/** Encodes the event table before a time: a fault that lasted, and a parameter that was changed. */
export function eventTablePayload(before: number): Uint8Array {
  const events = [
    [0x5a, before - 90_000, before - 89_700, 0, 0],
    [0x73, before - 3600, 0x9595_930f, 0, 1],
    [0x73, before - 1800, 0x9c8f_e559, 0, 30],
  ]
  const view = new DataView(new ArrayBuffer(4 + events.length * 20))
  view.setUint32(0, before)
  for (const [row, members] of events.entries())
    for (const [column, member] of members.entries()) view.setUint32(4 + row * 20 + column * 4, member)
  return new Uint8Array(view.buffer)
}
