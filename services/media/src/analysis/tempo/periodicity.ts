import { correlate, createCorrelator } from '../correlations.ts'
import { envelopeRate, type OnsetEnvelopes } from '../onset-envelope.ts'
import { valueAt, weightedSum, withDeviationOne } from '../series.ts'

/** Windows that are compared with themselves, seconds: in so short a time a tempo hardly drifts. */
const window = { length: 15, step: 7.5, maxLag: 7.5 } as const

/** Pairs of the series that are compared with each other: bass drum and snare, bass drum and cymbals, snare and cymbals. */
const crossed = [
  [1, 3],
  [1, 4],
  [3, 4],
] as const

/** Resemblance of a sound with itself some time later, around 0 without resemblance. */
export interface Periodicity {
  /** Of each envelope with itself: all bands, the four ranges, the changes; 1 at lag 0. */
  readonly series: readonly Float64Array[]
  /** Of ranges with each other, the mean of both directions. */
  readonly crossed: readonly Float64Array[]
  /** The mean of `series`, all bands twice. */
  readonly mean: Float64Array
}

/** Calculates the periodicity of a sound: the mean over windows, in which a window counts more where more begins. */
export function periodicityOf(envelopes: OnsetEnvelopes): Periodicity {
  const all = [envelopes.whole, ...envelopes.ranges, envelopes.change]
  const length = Math.min(envelopes.whole.length, window.length * envelopeRate)
  const lags = window.maxLag * envelopeRate + 1
  const pairs = [...all.map((_, number) => [number, number] as const), ...crossed]
  const sums = pairs.map(() => new Float64Array(lags))
  const weights = new Float64Array(pairs.length)
  const correlator = createCorrelator(length, lags)
  // Lags that leave little to compare are random.
  const lastLag = Math.min(lags - 1, Math.floor(length * 0.6))
  const last = envelopes.whole.length - Math.max(2, length)
  for (let from = 0; from <= last; from += window.step * envelopeRate) {
    const parts = all.map((one) => one.subarray(from, from + length))
    const deviations = parts.map(deviation)
    const correlations = correlate(correlator, parts.map(withDeviationOne), pairs)
    for (const [number, [one, other]] of pairs.entries()) {
      const weight = Math.sqrt((deviations[one] as number) * (deviations[other] as number))
      if (!(weight > 0)) continue
      weights[number] = (weights[number] as number) + weight
      const values = correlations[number] as Float64Array
      const sum = sums[number] as Float64Array
      for (let lag = 0; lag <= lastLag; lag += 1)
        sum[lag] = (sum[lag] as number) + (weight * (values[lag] as number)) / (length - lag)
    }
  }
  const means = sums.map((sum, number) => weightedSum([sum], [1 / Math.max(1e-12, weights[number] as number)]))
  const series = means.slice(0, all.length)
  const shares = series.map((_, number) => (number === 0 ? 2 : 1) / (series.length + 1))
  const mean = weightedSum(series, shares)
  return { series, crossed: means.slice(all.length), mean }
}

function deviation(values: Float64Array): number {
  let sum = 0
  let squares = 0
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number
    sum += value
    squares += value * value
  }
  return Math.sqrt(Math.max(0, squares / values.length - (sum / values.length) ** 2))
}

/** The highest value of a series near a lag: within 1.2 % of it and at least one value. */
export function peakNear(series: Float64Array, lag: number): number {
  const reach = Math.max(1, lag * 0.012)
  let best = -1
  for (let step = -2; step <= 2; step += 1) best = Math.max(best, valueAt(series, Math.abs(lag + (step * reach) / 2)))
  return best
}
