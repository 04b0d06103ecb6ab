import { parseJson, type Timers } from '@hearth/runtime'
import { z } from 'zod'
import type { Frame } from '../protocol/frame.ts'

/** The network password, the only secret among the objects of a device: its payload is not recorded. */
const wifiPassword = 0x14c0e627

const hexDigits = z.string().regex(/^(?:[0-9a-f]{2})*$/)

/** A recorded frame without the name and value of its object. */
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

/** One frame of a capture. `at` and `bytes` are optional, so that a capture can be written by hand. */
const CapturedFrame = RecordedFrame.partial({ at: true, bytes: true })

/** A frame of a capture, as `parseCapture` returns it. */
export type CapturedFrame = z.infer<typeof CapturedFrame>

/** Limits and clock of a recorder. */
export interface FlightRecorderOptions {
  readonly timers: Pick<Timers, 'now'>
  /** Frames; 2000 when left out. */
  readonly maxFrames?: number
  /** Bytes of all frames together; 1 MiB when left out. */
  readonly maxBytes?: number
}

/** Keeps the latest frames of a connection, so that a fault can be examined after it happened. */
export type FlightRecorder = ReturnType<typeof createFlightRecorder>

interface Entry {
  readonly at: number
  readonly direction: RecordedFrame['direction']
  readonly frame: Frame
  readonly bytes: Uint8Array
}

/** Creates a recorder that drops the oldest frames beyond its limits. */
export function createFlightRecorder({ timers, maxFrames = 2000, maxBytes = 1_048_576 }: FlightRecorderOptions) {
  const entries: Entry[] = []
  let total = 0
  const frames = (): RecordedFrame[] => entries.map(recordOf)
  return {
    /** Copies the bytes. */
    record(direction: RecordedFrame['direction'], frame: Frame, bytes: Uint8Array): void {
      entries.push({ at: timers.now(), direction, frame, bytes: Uint8Array.from(bytes) })
      total += bytes.length
      while (entries.length > maxFrames || total > maxBytes) total -= entries.shift()?.bytes.length ?? 0
    },
    /** Oldest first. */
    frames,
    /** Returns all frames as JSON, one per line. */
    exportCapture: (): string =>
      frames()
        .map((frame) => `${JSON.stringify(frame)}\n`)
        .join(''),
  }
}

/** Error for a line of a capture that is not a recorded frame. */
export class CaptureError extends Error {
  /** Counted from 1. */
  readonly line: number

  constructor(line: number) {
    super(`line ${line} of the capture is not a recorded frame`)
    this.line = line
  }
}

/** Parses the output of `exportCapture`. Throws a `CaptureError` at the first line that is not a frame. */
export function parseCapture(text: string): CapturedFrame[] {
  const frames: CapturedFrame[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const parsed = CapturedFrame.safeParse(parseJson(line))
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
