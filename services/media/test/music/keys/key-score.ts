import { camelotIndex, musicalKeys, type MusicalKey } from '../../../src/music/musical-keys.ts'

/** Relation of an answer to the key of a piece; `none` is no answer. */
export type KeyRelation = 'exact' | 'fifth' | 'relative' | 'parallel' | 'other' | 'none'

/** Points of the MIREX audio key detection task. */
export const keyPoints: Readonly<Record<KeyRelation, number>> = {
  exact: 1,
  fifth: 0.5,
  relative: 0.3,
  parallel: 0.2,
  other: 0,
  none: 0,
}

/** Returns how an answer, by its place on the Camelot wheel, relates to the right key. */
export function keyRelation(answer: number | null, right: MusicalKey): KeyRelation {
  const found = musicalKeys.find((key) => camelotIndex(key) === answer)
  if (found === undefined) return 'none'
  const up = (found.tonic - right.tonic + 12) % 12
  if (found.mode === right.mode) return up === 0 ? 'exact' : up === 7 || up === 5 ? 'fifth' : 'other'
  if (up === 0) return 'parallel'
  return up === (right.mode === 'major' ? 9 : 3) ? 'relative' : 'other'
}
