/**
 * The hash of a domain name, made from its last label to its first, so that the hashes of all its parents are on the way. Two
 * lanes of 32 bits; each label counts with its length and its lower-cased bytes, as in the wire form of a name.
 */
export interface NameSeeds {
  readonly first: number
  readonly second: number
}

/** One step of the first lane with one byte. */
export const step1 = (lane: number, byte: number): number => {
  const mixed = Math.imul(lane ^ byte, 0x9e37_79b1)
  return mixed ^ (mixed >>> 15)
}

/** One step of the second lane with one byte. */
export const step2 = (lane: number, byte: number): number => {
  const mixed = Math.imul(lane + byte, 0x85eb_ca77)
  return mixed ^ (mixed >>> 13)
}

/** Spreads the first lane over all its bits; to be done with a suffix's lane before it is looked up, not before the next step. */
export const finish = (lane: number): number => {
  const mixed = Math.imul(lane ^ (lane >>> 16), 0x7feb_352d)
  return mixed ^ (mixed >>> 15)
}
