import { valueAt } from './series.ts'
import { envelopeRate } from './onset-envelope.ts'

/** Range of tempi that are tried, BPM. */
const tempoRange = { slowest: 45, fastest: 230, step: 0.25 } as const

/** Maximum lag, seconds: sixteen beats at the slowest tempo. */
export const maxLag = 22

/** Multiples of the beat at which a series is read, and how much each counts. */
interface Teeth {
  readonly multiples: Float64Array
  readonly weights: Float64Array
}

/** The first beats, each counting the same: how well a tempo fits, whatever the measure. */
const evenTeeth: Teeth = { multiples: Float64Array.of(1, 2, 3, 4), weights: new Float64Array(4).fill(1) }
/** Beat, half a bar, a bar, two bars: relations of 2/3 and 4/3 to the tempo miss the bar. */
const barTeeth: Teeth = { multiples: Float64Array.of(1, 2, 4, 8), weights: Float64Array.of(2, 1, 1, 1) }
/** Many beats on, a small difference is a large one. */
const fineTeeth: Teeth = {
  multiples: Float64Array.from({ length: 16 }, (_, index) => index + 1),
  weights: new Float64Array(16).fill(1),
}

const fineReach = 0.03
const fineStep = 0.0002

/** The tempo expected most, BPM, and how fast slower and faster ones are expected less, octaves. */
const commonTempo = { bpm: 120, octaves: 0.9 } as const

/** Weighted mean of the autocorrelation at multiples of the beat that it reaches; 0 when it reaches none. */
function combValue(correlation: Float64Array, bpm: number, { multiples, weights }: Teeth): number {
  const period = (60 * envelopeRate) / bpm
  let sum = 0
  let total = 0
  for (let tooth = 0; tooth < multiples.length; tooth += 1) {
    const lag = period * (multiples[tooth] as number)
    if (lag > correlation.length - 2) break
    sum += (weights[tooth] as number) * valueAt(correlation, lag)
    total += weights[tooth] as number
  }
  return total === 0 ? 0 : sum / total
}

/** Returns the fit of a tempo at its first four beats, 1 at most. */
export function fit(correlation: Float64Array, bpm: number): number {
  return combValue(correlation, bpm, evenTeeth)
}

/** Returns the fit of a tempo over sixteen beats: much less than `fit` when it does not stay the same. */
export function longFit(correlation: Float64Array, bpm: number): number {
  return combValue(correlation, bpm, fineTeeth)
}

/** The best fit among tempi at most `reach` away, as a share. */
export function fitNear(correlation: Float64Array, bpm: number, reach: number): number {
  let best = 0
  for (let share = -reach; share <= reach + 1e-9; share += 0.005)
    best = Math.max(best, fit(correlation, bpm * (1 + share)))
  return best
}

/** 1 at `centre`, falling with the octaves from it. */
function expectation(value: number, centre: number, octaves: number): number {
  return Math.exp(-0.5 * (Math.log2(value / centre) / octaves) ** 2)
}

/** The best fit there is in the whole range of tempi. */
export function bestFit(correlation: Float64Array): number {
  let best = 0
  for (let bpm: number = tempoRange.slowest; bpm <= tempoRange.fastest; bpm += tempoRange.step)
    best = Math.max(best, fit(correlation, bpm))
  return best
}

/** The tempo whose beats and bars are found again most, or one of its octaves, BPM. */
export function coarseTempo(correlation: Float64Array): number {
  let best: { bpm: number; value: number } = { bpm: commonTempo.bpm, value: 0 }
  for (let bpm: number = tempoRange.slowest; bpm <= tempoRange.fastest; bpm += tempoRange.step) {
    const clear = Math.max(0, combValue(correlation, bpm, barTeeth))
    const value = clear ** 2 * expectation(bpm, commonTempo.bpm, commonTempo.octaves)
    if (value > best.value) best = { bpm, value }
  }
  return best.bpm
}

/** The exact tempo near a coarse one. */
export function refineTempo(correlation: Float64Array, bpm: number): number {
  let best = { bpm, value: -Infinity }
  for (let share = -fineReach; share <= fineReach; share += fineStep) {
    const candidate = bpm * (1 + share)
    const value = longFit(correlation, candidate)
    if (value > best.value) best = { bpm: candidate, value }
  }
  return best.bpm
}
