import type { Name } from '../wire/name.ts'
import { type NameSeeds, finish, step1, step2 } from './name-hash.ts'

/** Writes the lanes of a name and of all its parents, by the label they begin with, in one pass from the last label to the first. */
export function hashName(name: Name, seeds: NameSeeds, lanes1: Int32Array, lanes2: Int32Array): void {
  const { bytes, labels } = name
  let lane1 = seeds.first
  let lane2 = seeds.second
  for (let label = name.count - 1; label >= 0; label--) {
    let at = labels[label]!
    for (const stop = at + bytes[at]!; at <= stop; at++) {
      const byte = bytes[at]!
      lane1 = step1(lane1, byte)
      lane2 = step2(lane2, byte)
    }
    lanes1[label] = finish(lane1)
    lanes2[label] = lane2
  }
}
