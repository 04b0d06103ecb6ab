import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares two secrets in constant time, by their digests. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
