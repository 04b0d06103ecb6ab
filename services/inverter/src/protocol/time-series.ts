import { DecodeError, encodeValue } from './wire-value.ts'

/** One value a device has logged. */
export interface LoggedPoint {
  /** Seconds since the epoch. */
  readonly time: number
  readonly value: number
}

/** Answer of a device to a write of a logger object: values from before the time it echoes. */
export interface TimeSeries {
  /** Seconds since the epoch. */
  readonly before: number
  /** In the order the device sends them, newest first. */
  readonly points: readonly LoggedPoint[]
}

const pointWidth = 8

/** The payload that is written to a logger object to query what lies before a time, seconds since the epoch. */
export function encodeHistoryRequest(before: number): Uint8Array {
  return encodeValue('int32', before)
}

/** Reads the answer of a logger object, without points whose value is no number. Throws a DecodeError unless it is a time and whole pairs. */
export function decodeTimeSeries(payload: Uint8Array): TimeSeries {
  if (payload.length % pointWidth !== 4)
    throw new DecodeError('wrong_width', `${payload.length} bytes are no time and whole pairs of time and value`)
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const points: LoggedPoint[] = []
  for (let at = 4; at < payload.length; at += pointWidth) {
    const value = view.getFloat32(at + 4)
    if (Number.isFinite(value)) points.push({ time: view.getUint32(at), value })
  }
  return { before: view.getUint32(0), points }
}

/** The payload of the answer of a logger object. */
export function encodeTimeSeries({ before, points }: TimeSeries): Uint8Array {
  const bytes = new Uint8Array(4 + pointWidth * points.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, before)
  for (const [index, { time, value }] of points.entries()) {
    view.setUint32(4 + pointWidth * index, time)
    view.setFloat32(8 + pointWidth * index, value)
  }
  return bytes
}
