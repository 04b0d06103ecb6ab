/** Letters of the twelve pitch classes from C, as they are written for major and for minor keys. */
const letters = {
  major: ['C', 'Db', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'],
  minor: ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'G#', 'A', 'Bb', 'B'],
} as const

/** Mode of a key. */
export type Mode = keyof typeof letters

/** A key: the pitch class of its tonic, 0 for C to 11 for B, and its mode. */
export interface MusicalKey {
  readonly tonic: number
  readonly mode: Mode
}

/** All 24 keys. */
export const musicalKeys: readonly MusicalKey[] = (['major', 'minor'] as const).flatMap((mode) =>
  Array.from({ length: 12 }, (_, tonic) => ({ tonic, mode })),
)

const isMajor = ({ mode }: MusicalKey): boolean => mode === 'major'

/**
 * Returns the number of a key on the Camelot wheel, from 0 for 1A, 1 for 1B to 23 for 12B. Keys that are neighbours on the wheel
 * mix well; a relative minor stands beside its major.
 */
export function camelotIndex(key: MusicalKey): number {
  // A minor key stands where the major key three semitones above it does.
  const major = isMajor(key) ? key.tonic : key.tonic + 3
  // Each fifth is a step on the wheel, and C major is 8B.
  const number = (major * 7 + 7) % 12
  return number * 2 + (isMajor(key) ? 1 : 0)
}

const byCamelotIndex = new Map(musicalKeys.map((key) => [camelotIndex(key), key]))

/** Name of a key by its place on the Camelot wheel: `A minor`, `Eb major`. Undefined for a number outside 0 to 23. */
export function keyName(index: number): string | undefined {
  const key = byCamelotIndex.get(index)
  return key && `${letters[key.mode][key.tonic]} ${key.mode}`
}

/** Camelot name of a key by its place on the wheel: `8A`. */
export const camelotName = (index: number): string => `${Math.floor(index / 2) + 1}${index % 2 === 0 ? 'A' : 'B'}`

const camelotNames = Array.from({ length: 24 }, (_, index) => camelotName(index))

/** Returns the place on the Camelot wheel of a name such as `8A`; undefined for another text. */
export function camelotPlace(name: string): number | undefined {
  const place = camelotNames.indexOf(name.toUpperCase())
  return place === -1 ? undefined : place
}

/** Short name of a key as tags of files have it: `Am`, `Eb`. Undefined for a number outside 0 to 23. */
export function keyTag(index: number): string | undefined {
  const key = byCamelotIndex.get(index)
  return key && `${letters[key.mode][key.tonic]}${isMajor(key) ? '' : 'm'}`
}

/** Returns the place of a key that was moved by so many semitones; undefined for a number outside 0 to 23. */
export function transposed(index: number, semitones: number): number | undefined {
  const key = byCamelotIndex.get(index)
  return key && camelotIndex({ ...key, tonic: (((key.tonic + semitones) % 12) + 12) % 12 })
}
