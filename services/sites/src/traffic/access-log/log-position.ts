import { createHash } from 'node:crypto'

/** Position up to which a log was read. Files are read in the order they were rolled, the current one last. */
export interface LogPosition {
  /** Stamp of the newest rolled file that was read to its end; empty for none. The next one is the file being read. */
  readonly rolledAfter: string
  /** Bytes of the file being read, up to the end of a line. */
  readonly offset: number
  /** Hash of what that file begins with, to notice when another one stands in its place. */
  readonly head: string
}

/** Bytes at the beginning of a file that tell it from others; the first line's time is among them. */
export const headLength = 256

/** Hash of the beginning of a file of which so much was read. */
export const headOf = (beginning: Uint8Array, offset: number): string =>
  createHash('sha256')
    .update(beginning.subarray(0, Math.min(offset, headLength)))
    .digest('base64url')
