import { finish, step1, step2, type NameSeeds } from '../dns/policy/name-hash.ts'

/** Maximum length of a name and of a label, RFC 1035 section 2.3.4, in bytes of text. */
export const maxNameLength = 253
export const maxLabelLength = 63

/** For each byte what it counts as in a name: letters in lower case, digits, `-` and `_` as they are, 0 for all others. */
const letterOf = new Uint8Array(256)
for (const letter of 'abcdefghijklmnopqrstuvwxyz0123456789-_') letterOf[letter.charCodeAt(0)] = letter.charCodeAt(0)
for (let upper = 65; upper <= 90; upper++) letterOf[upper] = upper | 32

const dot = 46

/**
 * Reads names out of text and hashes them on the way, so that the many common lines of a list need no string. What was read
 * last stands in its members.
 */
export class NameHasher {
  readonly #seeds: NameSeeds
  /** Finished: as the table of names wants it. */
  lane1 = 0
  lane2 = 0
  labels = 0

  constructor(seeds: NameSeeds) {
    this.#seeds = seeds
  }

  /**
   * Hashes the name in `text` from `start` up to `end`. False when it is none that counts as it stands: empty or too long, other
   * characters than letters, digits, `-` and `_` in its labels, a final dot, or digits alone at its end, as an address has.
   */
  read(text: Uint8Array, start: number, end: number): boolean {
    if (end - start > maxNameLength || end <= start) return false
    let lane1 = this.#seeds.first
    let lane2 = this.#seeds.second
    let labels = 0
    let hasLetter = false
    for (let stop = end; stop >= start; labels++) {
      let first = stop
      while (first > start && text[first - 1] !== dot) first--
      const length = stop - first
      if (length === 0 || length > maxLabelLength) return false
      lane1 = step1(lane1, length)
      lane2 = step2(lane2, length)
      for (let k = first; k < stop; k++) {
        const letter = letterOf[text[k]!]!
        if (letter === 0) return false
        hasLetter ||= letter > 57 || letter === 45
        lane1 = step1(lane1, letter)
        lane2 = step2(lane2, letter)
      }
      if (!hasLetter) return false
      stop = first - 1
    }
    this.lane1 = finish(lane1)
    this.lane2 = lane2
    this.labels = labels
    return true
  }
}
