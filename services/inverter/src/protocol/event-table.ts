import { DecodeError } from './wire-value.ts'

/** One line of a device's event table. */
export interface DeviceEvent {
  /** For most events the number of the fault bit. */
  readonly type: number
  /** Seconds since the epoch. */
  readonly at: number
  /**
   * Three numbers whose meaning depends on the type: for a changed parameter the object id, the old and the new value as
   * bits; for events with a duration the first is the end, seconds since the epoch.
   */
  readonly details: readonly [number, number, number]
}

/** What a device answers when the error log is written: events from before the time it echoes. */
export interface EventTable {
  /** Seconds since the epoch. */
  readonly before: number
  readonly events: readonly DeviceEvent[]
}

/** The type of an event that tells of a changed parameter. */
export const parameterChanged = 0x73

const eventWidth = 20

/** Reads the answer of the error log. Throws a DecodeError unless it is a time and whole rows. */
export function decodeEventTable(payload: Uint8Array): EventTable {
  if (payload.length % eventWidth !== 4)
    throw new DecodeError('wrong_width', `${payload.length} bytes are no time and whole rows of events`)
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const events: DeviceEvent[] = []
  for (let at = 4; at < payload.length; at += eventWidth) {
    const details = [view.getUint32(at + 8), view.getUint32(at + 12), view.getUint32(at + 16)] as const
    events.push({ type: view.getUint32(at), at: view.getUint32(at + 4), details })
  }
  return { before: view.getUint32(0), events }
}

/** The payload of the answer of the error log. */
export function encodeEventTable({ before, events }: EventTable): Uint8Array {
  const bytes = new Uint8Array(4 + eventWidth * events.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, before)
  for (const [index, { type, at, details }] of events.entries())
    for (const [column, value] of [type, at, ...details].entries())
      view.setUint32(4 + eventWidth * index + 4 * column, value)
  return bytes
}
