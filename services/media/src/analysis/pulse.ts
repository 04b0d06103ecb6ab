import { autocorrelations } from './correlations.ts'
import { cutEnvelopes, envelopeRate, type OnsetEnvelopes } from './onset-envelope.ts'
import { weightedSum } from './series.ts'
import { bestFit, fitNear, maxLag } from './tempo-comb.ts'

/** Repetition in a piece of music; `weights` are those of the whole and of each range. */
export type Pulse = ReturnType<typeof findPulse>

/** Lags with less than this share of the piece to compare are left out, because their values are random. */
const comparedShare = 0.3
/** Stretches the support of a tempo is measured over, seconds: in ten seconds a tempo hardly drifts. */
const stretch = { length: 10, step: 5, reach: 0.04, maxLag: 6 } as const

/**
 * The autocorrelation of a piece, put together from those of the whole and of the ranges of bands. Each counts by the square of
 * how regular it is: a voice over a beat fills its own range and leaves the others to the beat.
 */
export function findPulse(envelopes: OnsetEnvelopes) {
  const parts = correlationsOf(envelopes, maxLag)
  const weights = parts.map((part, index) => (index === 0 ? 2 : 1) * Math.max(0.01, bestFit(part)) ** 2)
  return { envelopes, weights, correlation: weighted(parts, weights) }
}

/** Returns the average fit of a tempo in windows of ten seconds, within a small tolerance; 1 at most. */
export function supportOf(pulse: Pulse, bpm: number): number {
  const length = pulse.envelopes.whole.length
  const window = Math.min(length, stretch.length * envelopeRate)
  const fits: number[] = []
  for (let from = 0; from + window <= length; from += stretch.step * envelopeRate) {
    const parts = correlationsOf(cutEnvelopes(pulse.envelopes, from, from + window), stretch.maxLag)
    fits.push(fitNear(weighted(parts, pulse.weights), bpm, stretch.reach))
  }
  return fits.reduce((sum, fit) => sum + fit, 0) / Math.max(1, fits.length)
}

function correlationsOf({ whole, ranges }: OnsetEnvelopes, lagSeconds: number): Float64Array[] {
  const maxLags = Math.floor(Math.min(lagSeconds * envelopeRate, whole.length * (1 - comparedShare)))
  return autocorrelations([whole, ...ranges], maxLags)
}

function weighted(series: readonly Float64Array[], weights: readonly number[]): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weightedSum(
    series,
    weights.map((weight) => weight / total),
  )
}
