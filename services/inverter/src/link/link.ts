import type { Log, Timers } from '@hearth/runtime'
import type { Frame } from '../protocol/frame.ts'
import type { Subject } from './classify-frame.ts'
import type { LinkFailure } from './link-errors.ts'
import type { LinkTiming } from './link-timing.ts'
import type { Priority as QueuePriority } from './send-queue.ts'
import { SerialLink } from './serial-link.ts'

/** `control` is the battery dispatch, `normal` callers, `background` heartbeat and upkeep. */
export type Priority = QueuePriority

/** Address and behaviour of a link. */
export interface LinkOptions {
  readonly host: string
  readonly port: number
  /** Pause between two exchanges, milliseconds; it widens by itself while the device does not keep up. */
  readonly gapMs: number
  readonly timers: Timers
  readonly log: Log
  readonly timing?: Partial<LinkTiming>
  /** Hears of every frame with its bytes, which are valid during the call only. */
  readonly onFrame?: (direction: 'sent' | 'received', frame: Frame, bytes: Uint8Array) => void
  /** Object that is read to find out whether the device is back from maintenance; without it the end of the cool-down is enough. */
  readonly probe?: Subject
}

/** Whom a request is for and how urgent it is. */
export interface RequestOptions {
  /** Network id of a device in a plant; undefined for the device at the other end. */
  readonly address: number | undefined
  readonly priority: Priority
  /** The connection it is meant for, as `status().epoch` counts; on any other it fails with `unreachable` and is not sent. */
  readonly epoch?: number
}

/** Status of a link. */
export interface LinkStatus {
  readonly state: 'connecting' | 'connected' | 'backing-off' | 'maintenance' | 'closed'
  /** Number of connections so far. */
  readonly epoch: number
  readonly queueLength: number
  /** The pause between exchanges as it is now, milliseconds. */
  readonly gapMs: number
  readonly crcErrors: number
  readonly framingErrors: number
  readonly discardedBytes: number
  readonly unexpectedFrames: number
  readonly foreignAccessSuspected: boolean
  readonly framesSent: number
  readonly framesReceived: number
  /** Wall clock, milliseconds; null before the first. */
  readonly lastFrameAt: number | null
  /** Wall clock, milliseconds, when the device is asked again; null outside of maintenance. */
  readonly maintenanceUntil: number | null
}

/**
 * The connection to one endpoint. Requests go out one at a time, each after the answer to the one before. It connects by
 * itself and again after a loss. All requests reject with a `LinkError`; a `RangeError` for what no frame can carry.
 */
export interface Link {
  /** Resolves with the payload of the answer. A read whose answer is damaged is repeated twice. */
  read(objectId: number, options: RequestOptions): Promise<Uint8Array>
  /** Sends a write that is answered, as time series and the event table are. */
  query(objectId: number, payload: Uint8Array, options: RequestOptions): Promise<Uint8Array>
  /** Resolves when the bytes have left: devices do not answer a write. It is never sent twice. */
  write(objectId: number, payload: Uint8Array, options: RequestOptions): Promise<void>
  /** Asks for a value now and in every period. Resolves with the first; a device that ignores it keeps its connection. */
  register(objectId: number, options: RequestOptions): Promise<Uint8Array>
  /** Hears of every valid response about a registered object that is not the answer to a request. Returns what ends it. */
  onValue(listener: (address: number | undefined, objectId: number, payload: Uint8Array) => void): () => void
  /** Sets what a device is expected to send by itself. */
  setRegistered(address: number | undefined, objectIds: ReadonlySet<number>): void
  onConnected(listener: (epoch: number) => void): () => void
  /** Hears when a connection is lost, not of attempts that fail. */
  onDisconnected(listener: (reason: LinkFailure) => void): () => void
  onMaintenance(listener: (active: boolean) => void): () => void
  status(): LinkStatus
  /** Everything that is open or waiting fails with `closed`. Resolves when the socket is gone. */
  close(): Promise<void>
}

/** Opens a link and begins to connect. */
export function createLink(options: LinkOptions): Link {
  return new SerialLink(options)
}
