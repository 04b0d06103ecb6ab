import { envelopeRate } from '../onset-envelope.ts'
import { peakNear, type Periodicity } from './periodicity.ts'

/** Parts and multiples of a beat at which a sound is compared with itself. */
const multiples = [
  1 / 6,
  1 / 4,
  1 / 3,
  1 / 2,
  2 / 3,
  3 / 4,
  1,
  5 / 4,
  4 / 3,
  3 / 2,
  5 / 3,
  7 / 4,
  2,
  5 / 2,
  3,
  7 / 2,
  4,
  5,
  6,
  7,
  8,
  9,
  10,
  12,
]
/** The same for two ranges with each other: a snare is struck between bass drums. */
const crossedMultiples = [0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 3 / 2, 2, 5 / 2, 3, 4, 6, 8]
/** Centres of the tempi that are told apart as such, BPM, on a scale of octaves. */
const centres = [45, 56, 70, 88, 110, 138, 172, 215]

/** What the scores of a tempo are calculated from: see `signatureOf`. */
export type Signature = Float64Array

/** Mean number of onsets a second of each envelope. */
export type Densities = readonly number[]

/**
 * Describes a tempo in a sound: how the sound resembles itself after parts and multiples of a beat, in each range; where the
 * tempo lies; and how many onsets a beat has.
 */
export function signatureOf({ series, crossed }: Periodicity, densities: Densities, bpm: number): Signature {
  const period = (60 * envelopeRate) / bpm
  const values: number[] = []
  for (const one of series)
    for (const multiple of multiples) {
      const lag = period * multiple
      values.push(lag < one.length - 2 ? peakNear(one, lag) : 0)
    }
  for (const one of crossed)
    for (const multiple of crossedMultiples) {
      const lag = period * multiple
      values.push(lag < one.length - 2 ? peakNear(one, lag) : 0)
    }
  for (const density of densities) values.push(Math.log2(Math.max(0.1, (density * 60) / bpm)))
  return withTempo(Float64Array.from([...values, ...Array.from({ length: tempoValues }, () => 0)]), bpm)
}

/** Values of a signature that say where the tempo lies; they are its last. */
const tempoValues = centres.length + 1

/** Writes where the tempo lies into a signature. */
export function withTempo(signature: Signature, bpm: number): Signature {
  const from = signature.length - tempoValues
  for (const [index, centre] of centres.entries())
    signature[from + index] = Math.exp(-0.5 * (Math.log2(bpm / centre) / 0.25) ** 2)
  signature[signature.length - 1] = Math.log2(bpm / 120)
  return signature
}

/** The signature of the same music, by so many octaves faster. */
export function faster(signature: Signature, octaves: number): Signature {
  const bpm = 120 * 2 ** ((signature.at(-1) ?? 0) + octaves)
  return withTempo(signature.slice(), bpm)
}
