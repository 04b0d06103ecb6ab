import type { Frame } from '../protocol/frame.ts'

/** Subject of a frame: an object of one device. */
export interface Subject {
  readonly objectId: number
  /** Network id; undefined for the device at the other end. */
  readonly address: number | undefined
}

/** Facts that an arriving frame is classified by. */
export interface Expectation {
  /** Subject of the request in flight, if there is one. */
  readonly asked: Subject | undefined
  /** Subject of a recent write: devices do not confirm writes, but one that did would be no foreign client. */
  readonly written: Subject | undefined
  /** Returns true if the device was told to send this by itself. */
  readonly isRegistered: (subject: Subject) => boolean
}

/** Class of an arriving frame on a link with at most one request in flight. */
export type Arrival = 'answer' | 'registered' | 'confirmation' | 'unexpected'

/** Returns true if the frame came from a device. */
export function isResponse({ command }: Frame): boolean {
  return command === 'response' || command === 'long-response'
}

/**
 * Sorts a frame. Only a response about the very object and device that was asked answers the question, so that values of
 * other objects, which somebody else may have asked for, are never mixed up with it.
 */
export function classifyFrame(frame: Frame, { asked, written, isRegistered }: Expectation): Arrival {
  if (!isResponse(frame)) return 'unexpected'
  if (isAbout(frame, asked)) return 'answer'
  if (isRegistered(frame)) return 'registered'
  return isAbout(frame, written) ? 'confirmation' : 'unexpected'
}

function isAbout(frame: Frame, subject: Subject | undefined): boolean {
  return subject !== undefined && frame.objectId === subject.objectId && frame.address === subject.address
}
