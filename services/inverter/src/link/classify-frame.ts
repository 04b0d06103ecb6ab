import type { Frame } from '../protocol/frame.ts'

/** What a frame is about: an object of one device. */
export interface Subject {
  readonly objectId: number
  /** Network id; undefined for the device at the other end. */
  readonly address: number | undefined
}

/** What is known when a frame arrives. */
export interface Expectation {
  /** What was asked and has left, if there is an open question. */
  readonly asked: Subject | undefined
  /** What was written last and left a moment ago: devices do not confirm writes, but one that did would not be a stranger. */
  readonly written: Subject | undefined
  /** Whether the device was told to send this by itself. */
  readonly isRegistered: (subject: Subject) => boolean
}

/** What an arriving frame is to a link that has one question open at most. */
export type Arrival = 'answer' | 'registered' | 'confirmation' | 'unexpected'

/** Whether the frame came from a device. */
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
