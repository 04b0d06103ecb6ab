import type { Log, Timers } from '@hearth/runtime'
import type { Frame } from '../protocol/frame.ts'
import type { Subject } from './arrivals.ts'
import type { Priority } from './send-queue.ts'

/** Address and behaviour of a link. */
export interface LinkOptions {
  readonly host: string
  readonly port: number
  /** Pause between two exchanges, milliseconds; it widens by itself while the device does not keep up. */
  readonly gapMs: number
  readonly timers: Timers
  readonly log: Log
  readonly timing?: Partial<LinkTiming>
  /** Called with every frame and its bytes, which are valid during the call only. */
  readonly onFrame?: (direction: 'sent' | 'received', frame: Frame, bytes: Uint8Array) => void
  /** Object that is read to check whether maintenance is over; without it the end of the cool-down is enough. */
  readonly probe?: Subject
}

/** Target and urgency of a request. */
export interface RequestOptions {
  /** Network id of a device in a plant; undefined for the device at the other end. */
  readonly address: number | undefined
  readonly priority: Priority
  /** The connection it is meant for, as `status().epoch` counts; on any other it fails with `unreachable` and is not sent. */
  readonly epoch?: number
  /** Called when its turn has come; it fails with what this throws and is not sent. */
  readonly check?: (() => void) | undefined
}

/** Durations and bounds of a link; milliseconds but for the counts. */
export type LinkTiming = Readonly<typeof defaultTiming>

/** Default timing of a link. */
export const defaultTiming = {
  connectMs: 3000,
  /** From the time a request left until its answer. */
  readMs: 5000,
  queueWaitMs: 10_000,
  /** Maximum number of requests that wait. */
  queueLength: 32,
  /** Without a byte for so long, a long answer of unclear length has ended. */
  idleGapMs: 80,
  /** Minimum and maximum wait between attempts to connect. */
  backOffMs: [1000, 60_000] as readonly [number, number],
  /** Time in which nothing is sent after the bootloader announced itself. */
  cooldownMs: 300_000,
  /** Time for the bytes of a request to leave. */
  drainMs: 5000,
  /** Silence after a damaged answer before the request is repeated. */
  repeatMs: 250,
}
