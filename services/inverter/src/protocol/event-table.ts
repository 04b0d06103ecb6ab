import { DecodeError } from './wire-value.ts'

/** One row of a device's event table. */
export interface EventRow {
  /** For most events the number of the fault bit. */
  readonly type: number
  /** Seconds since the epoch. */
  readonly time: number
  /** The end for an event with a duration, seconds since the epoch; the object id for a changed parameter. */
  readonly e2: number
  /** The old value of a changed parameter, as bits. */
  readonly e3: number
  /** The new value of a changed parameter, as bits. */
  readonly e4: number
}

/** Answer of a device to a write of the error log: rows from before the time it echoes. */
export interface EventTable {
  /** Seconds since the epoch. */
  readonly before: number
  readonly rows: readonly EventRow[]
}

/** The type of an event for a changed parameter. */
export const parameterChanged = 0x73

const rowWidth = 20

/** Reads the answer of the error log. Throws a DecodeError unless it is a time and whole rows. */
export function decodeEventTable(payload: Uint8Array): EventTable {
  if (payload.length % rowWidth !== 4)
    throw new DecodeError('wrong_width', `${payload.length} bytes are no time and whole rows of events`)
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const rows: EventRow[] = []
  for (let at = 4; at < payload.length; at += rowWidth) {
    rows.push({
      type: view.getUint32(at),
      time: view.getUint32(at + 4),
      e2: view.getUint32(at + 8),
      e3: view.getUint32(at + 12),
      e4: view.getUint32(at + 16),
    })
  }
  return { before: view.getUint32(0), rows }
}

/** The payload of the answer of the error log. */
export function encodeEventTable({ before, rows }: EventTable): Uint8Array {
  const bytes = new Uint8Array(4 + rowWidth * rows.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, before)
  for (const [index, { type, time, e2, e3, e4 }] of rows.entries())
    for (const [column, value] of [type, time, e2, e3, e4].entries())
      view.setUint32(4 + rowWidth * index + 4 * column, value)
  return bytes
}
