import type { Timers } from '@hearth/runtime'
import type { Frame } from '../protocol/frame.ts'

/** A frame as it was on the wire. */
export interface RecordedFrame {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly direction: 'sent' | 'received'
  readonly command: string
  readonly address: number | null
  /** `0x` and eight upper-case hex digits. */
  readonly object_id: string
  /** Hexadecimal; empty where it is a secret. */
  readonly payload: string
}

/** The last frames of one connection. */
export interface FlightRecorder {
  record(direction: 'sent' | 'received', frame: Frame): void
  /** Oldest first. */
  frames(): readonly RecordedFrame[]
  /** One frame a line as JSON, which the simulator can replay. */
  exportCapture(): string
}

/** Frames kept, and characters of payload kept with them. */
const mostFrames = 2000
const mostCharacters = 2_000_000

/** The wireless network's password: asked for by the vendor's own programs, and nobody else's business. */
const secretObject = 0x14c0e627

export function createFlightRecorder({ timers }: { timers: Timers }): FlightRecorder {
  const kept: RecordedFrame[] = []
  let characters = 0
  return {
    record(direction, { command, address, objectId, payload }) {
      const text = objectId === secretObject ? '' : Buffer.from(payload).toString('hex')
      kept.push({
        at: new Date(timers.now()).toISOString(),
        direction,
        command,
        address: address ?? null,
        object_id: `0x${objectId.toString(16).toUpperCase().padStart(8, '0')}`,
        payload: text,
      })
      characters += text.length
      while (kept.length > mostFrames || characters > mostCharacters) characters -= kept.shift()?.payload.length ?? 0
    },
    frames: () => [...kept],
    exportCapture: () => kept.map((frame) => `${JSON.stringify(frame)}\n`).join(''),
  }
}
