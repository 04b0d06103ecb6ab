import type { BundledList } from './list-bundle.ts'

/** What holds for the clients of a profile at the moment; part of `ResolverProfile`. */
export interface ProfileRecord {
  /** Number of the profile that clients are in, 1 to 255. */
  readonly number: number
  /** Number of the profile that holds for them now: this one, or the one for the rest of the time; 0 for none. */
  readonly holds: number
  /** Nothing is filtered for them. */
  readonly isPaused: boolean
  /** Ids of the lists that hold; null for all. */
  readonly lists: readonly string[] | null
  /** Place of the block mode in `blockModes`; 0 for that of the settings. */
  readonly blockMode: number
  /** Bits of `Safety`. */
  readonly safety: number
}

/** Numbers of profiles are below. */
export const profileNumbers = 256

const magic = 0x4c44_5031 // "LDP1"
const Field = { holds: 0, lists: 1, flags: 2, blockMode: 3, words: 4 } as const
const headerWords = 4
const paused = 1
/** Bits of the flags below those of `Safety`. */
const safetyShift = 1

/**
 * The client number that rules of a profile are kept under. It is negative, so no client has it, and a whole number that takes
 * no memory.
 */
export const profileClient = (number: number): number => -1 - number

/**
 * What holds for the clients of each profile. A client's record holds the number of its profile alone, so that a switch of a
 * profile is a change of one entry here, however many clients it has. Nothing in here allocates.
 */
export class ProfileTable {
  readonly #words: Uint32Array

  constructor(memory: SharedArrayBuffer) {
    const words = new Uint32Array(memory)
    if (words.length < headerWords + profileNumbers * Field.words || words[0] !== magic)
      throw new Error('this is no table of profiles')
    this.#words = words
  }

  /** Number of the profile that holds for the clients of this one; 0 for none. */
  holds(number: number): number {
    return this.#words[headerWords + number * Field.words + Field.holds]!
  }

  /** The lists that hold, a bit each; as a signed number, which takes no memory. */
  listsOf(number: number): number {
    return this.#words[headerWords + number * Field.words + Field.lists]! | 0
  }

  isPaused(number: number): boolean {
    return (this.#words[headerWords + number * Field.words + Field.flags]! & paused) !== 0
  }

  /** See `ProfileRecord.safety`. */
  safety(number: number): number {
    return this.#words[headerWords + number * Field.words + Field.flags]! >>> safetyShift
  }

  /** See `ProfileRecord.blockMode`. */
  blockMode(number: number): number {
    return this.#words[headerWords + number * Field.words + Field.blockMode]!
  }
}

/** Opens a table of profiles. Throws when the memory holds none. */
export const openProfileTable = (memory: SharedArrayBuffer): ProfileTable => new ProfileTable(memory)

/** Makes the table for these lists. Unknown lists are left out. */
export function buildProfileTable(
  profiles: readonly ProfileRecord[],
  lists: readonly Pick<BundledList, 'number' | 'id'>[],
): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(4 * (headerWords + profileNumbers * Field.words))
  const words = new Uint32Array(memory)
  words[0] = magic
  for (const { number, holds, isPaused, lists: chosen, blockMode, safety } of profiles) {
    if (number < 1 || number >= profileNumbers) continue
    const bits = chosen === null ? -1 : lists.reduce((set, list) => set | bitOf(chosen, list), 0)
    words.set(
      [holds, bits >>> 0, (isPaused ? paused : 0) | (safety << safetyShift), blockMode],
      headerWords + number * Field.words,
    )
  }
  return memory
}

const bitOf = (chosen: readonly string[], { id, number }: Pick<BundledList, 'number' | 'id'>): number =>
  chosen.includes(id) ? 1 << number : 0
