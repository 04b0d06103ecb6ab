import { DecodeError, encodeValue } from './wire-value.ts'

/** One value a device has logged. */
export interface LoggedValue {
  /** Seconds since the epoch. */
  readonly at: number
  /** Null when the device has no number for that time. */
  readonly value: number | null
}

/** What a device answers when a logger object is written: values from before the time it echoes. */
export interface TimeSeries {
  /** Seconds since the epoch. */
  readonly before: number
  /** In the order the device sends them, newest first. */
  readonly values: readonly LoggedValue[]
}

const valueWidth = 8

/** The payload that is written to a logger object to ask for what lies before a time, seconds since the epoch. */
export function encodeHistoryRequest(before: number): Uint8Array {
  return encodeValue('int32', before)
}

/** Reads the answer of a logger object. Throws a DecodeError unless it is a time and whole pairs. */
export function decodeTimeSeries(payload: Uint8Array): TimeSeries {
  if (payload.length % valueWidth !== 4)
    throw new DecodeError('wrong_width', `${payload.length} bytes are no time and whole pairs of time and value`)
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const values: LoggedValue[] = []
  for (let at = 4; at < payload.length; at += valueWidth) {
    const value = view.getFloat32(at + 4)
    values.push({ at: view.getUint32(at), value: Number.isFinite(value) ? value : null })
  }
  return { before: view.getUint32(0), values }
}

/** The payload of the answer of a logger object. */
export function encodeTimeSeries({ before, values }: TimeSeries): Uint8Array {
  const bytes = new Uint8Array(4 + valueWidth * values.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, before)
  for (const [index, { at, value }] of values.entries()) {
    view.setUint32(4 + valueWidth * index, at)
    view.setFloat32(8 + valueWidth * index, value ?? Number.NaN)
  }
  return bytes
}
