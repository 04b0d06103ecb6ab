import type { Command } from '../protocol/command.ts'
import { encodeFrame, type Frame } from '../protocol/frame.ts'
import type { Subject } from './classify-frame.ts'
import type { LinkError } from './link-errors.ts'
import type { Priority } from './send-queue.ts'

/** Kind of a request. A write is not answered; a query is a write that is. */
export type RequestKind = 'read' | 'query' | 'write' | 'register'

const commands: Readonly<Record<RequestKind, Command>> = {
  read: 'read',
  query: 'write',
  write: 'write',
  register: 'read-periodically',
}

/** Something a caller wants sent. */
export interface Request extends Subject {
  readonly kind: RequestKind
  readonly priority: Priority
  /** The only connection it may be sent on; undefined for any. */
  readonly epoch: number | undefined
  readonly frame: Frame
  readonly bytes: Uint8Array
  readonly resolve: (payload: Uint8Array) => void
  readonly reject: (error: LinkError) => void
}

/** Contents of a request. */
export interface Wanted extends Subject {
  readonly payload?: Uint8Array
  readonly priority: Priority
  readonly epoch?: number | undefined
}

/** A request and the promise it settles. Throws a RangeError for what no frame can carry. */
export function makeRequest(kind: RequestKind, wanted: Wanted): { request: Request; answer: Promise<Uint8Array> } {
  const { objectId, address, priority, epoch, payload = new Uint8Array(0) } = wanted
  const frame: Frame = { command: commands[kind], address, objectId, payload }
  const bytes = encodeFrame(frame)
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  return { request: { kind, objectId, address, priority, epoch, frame, bytes, resolve, reject }, answer: promise }
}
