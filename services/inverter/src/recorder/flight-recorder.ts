import type { Timers } from '@hearth/runtime'
import { z } from 'zod'
import type { Frame } from '../protocol/frame.ts'

/** The network password, the one secret among the objects of a device: what is sent about it is not kept. */
const wifiPassword = 0x14c0e627

const hexDigits = z.string().regex(/^(?:[0-9a-f]{2})*$/)

/** One frame as it is handed out: names and values are left to those who know the objects. */
export const RecordedFrame = z.object({
  at: z.iso.datetime(),
  direction: z.enum(['sent', 'received']),
  command: z.enum(['read', 'write', 'long-write', 'response', 'long-response', 'read-periodically']),
  /** Network id of a device in a plant. */
  address: z.int().nonnegative().nullable(),
  /** `0x` and eight hexadecimal digits. */
  object_id: z.string().regex(/^0x[0-9A-F]{8}$/),
  /** Hexadecimal; empty when it is a secret. */
  payload: hexDigits,
  /** The frame as it was on the wire, hexadecimal; empty when it holds a secret. */
  bytes: hexDigits,
})
export type RecordedFrame = z.infer<typeof RecordedFrame>

/** One frame of a capture: enough to be played again, also when it was written by hand. */
const CapturedFrame = RecordedFrame.partial({ at: true, bytes: true })
export type CapturedFrame = z.infer<typeof CapturedFrame>

/** How much a recorder keeps, and its clock. */
export interface FlightRecorderOptions {
  readonly timers: Pick<Timers, 'now'>
  /** Frames; 2000 when left out. */
  readonly mostFrames?: number
  /** Bytes of all frames together; 1 MiB when left out. */
  readonly mostBytes?: number
}

/** Keeps the latest frames of a connection, so that a fault can be looked at after it happened. */
export interface FlightRecorder {
  /** The bytes are copied. */
  record(direction: RecordedFrame['direction'], frame: Frame, bytes: Uint8Array): void
  /** Oldest first. */
  frames(): RecordedFrame[]
  /** All frames as JSON, one a line. */
  exportCapture(): string
}

interface Entry {
  readonly at: number
  readonly direction: RecordedFrame['direction']
  readonly frame: Frame
  readonly bytes: Uint8Array
}

/** Makes a recorder that keeps as much as it is allowed to, and forgets the oldest beyond that. */
export function createFlightRecorder(options: FlightRecorderOptions): FlightRecorder {
  const { timers, mostFrames = 2000, mostBytes = 1_048_576 } = options
  const entries: Entry[] = []
  let total = 0
  const frames = () => entries.map(recordOf)
  return {
    record(direction, frame, bytes) {
      entries.push({ at: timers.now(), direction, frame, bytes: Uint8Array.from(bytes) })
      total += bytes.length
      while (entries.length > mostFrames || total > mostBytes) total -= entries.shift()?.bytes.length ?? 0
    },
    frames,
    exportCapture: () =>
      frames()
        .map((frame) => `${JSON.stringify(frame)}\n`)
        .join(''),
  }
}

/** A capture has a line that is no recorded frame. */
export class CaptureError extends Error {
  /** Counted from 1. */
  readonly line: number

  constructor(line: number) {
    super(`line ${line} of the capture is not a recorded frame`)
    this.line = line
  }
}

/** Reads what `exportCapture` wrote. Throws a `CaptureError` at the first line that is none of it. */
export function parseCapture(text: string): CapturedFrame[] {
  const frames: CapturedFrame[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const parsed = CapturedFrame.safeParse(jsonOf(line))
    if (!parsed.success) throw new CaptureError(index + 1)
    frames.push(parsed.data)
  }
  return frames
}

function recordOf({ at, direction, frame, bytes }: Entry): RecordedFrame {
  const isSecret = frame.objectId === wifiPassword
  return {
    at: new Date(at).toISOString(),
    direction,
    command: frame.command,
    address: frame.address ?? null,
    object_id: `0x${frame.objectId.toString(16).toUpperCase().padStart(8, '0')}`,
    payload: isSecret ? '' : frame.payload.toHex(),
    bytes: isSecret ? '' : bytes.toHex(),
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
