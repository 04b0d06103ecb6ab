import { createFft, powerOfTwo, valueAt, withDeviationOne } from '../fft.ts'
import { envelopeRate, type OnsetEnvelopes } from '../onset-envelope.ts'

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
  const spectra = createSpectra(length, lags)
  const last = envelopes.whole.length - Math.max(2, length)
  for (let from = 0; from <= last; from += window.step * envelopeRate) {
    const parts = all.map((one) => one.subarray(from, from + length))
    const deviations = parts.map(deviation)
    const transformed = parts.map((part) => spectra.transform(part))
    for (const [number, [one, other]] of pairs.entries()) {
      const weight = Math.sqrt((deviations[one] as number) * (deviations[other] as number))
      if (!(weight > 0)) continue
      weights[number] = (weights[number] as number) + weight
      const values = spectra.correlate(transformed[one] as Spectrum, transformed[other] as Spectrum)
      const sum = sums[number] as Float64Array
      for (let lag = 0; lag < lags; lag += 1) sum[lag] = (sum[lag] as number) + weight * (values[lag] as number)
    }
  }
  const means = sums.map((sum, number) => sum.map((value) => value / Math.max(1e-12, weights[number] as number)))
  const series = means.slice(0, all.length)
  const mean = Float64Array.from({ length: lags }, (_, lag) => {
    const total = series.reduce((sum, values) => sum + (values[lag] as number), series[0]?.[lag] ?? 0)
    return total / (series.length + 1)
  })
  return { series, crossed: means.slice(all.length), mean }
}

interface Spectrum {
  readonly real: Float64Array
  readonly imaginary: Float64Array
}

/** Transforms of series of `length` values, and the correlations of two of them for `lags` lags. */
function createSpectra(length: number, lags: number) {
  const fft = createFft(powerOfTwo(length + lags))
  // Lags that leave little to compare are random.
  const last = Math.min(lags - 1, Math.floor(length * 0.6))
  return {
    transform(values: Float64Array): Spectrum {
      const [real, imaginary] = [new Float64Array(fft.size), new Float64Array(fft.size)]
      const scaled = withDeviationOne(values)
      const mean = scaled.reduce((sum, value) => sum + value, 0) / scaled.length
      for (let index = 0; index < length; index += 1) real[index] = (scaled[index] as number) - mean
      fft.transform(real, imaginary)
      return { real, imaginary }
    },
    correlate(one: Spectrum, other: Spectrum): Float64Array {
      const [real, imaginary] = [new Float64Array(fft.size), new Float64Array(fft.size)]
      // The real part of the product belongs to the mean of both directions.
      for (let bin = 0; bin < fft.size; bin += 1)
        real[bin] =
          (one.real[bin] as number) * (other.real[bin] as number) +
          (one.imaginary[bin] as number) * (other.imaginary[bin] as number)
      fft.transform(real, imaginary)
      const values = new Float64Array(lags)
      for (let lag = 0; lag <= last; lag += 1) values[lag] = (real[lag] as number) / fft.size / (length - lag)
      return values
    },
  }
}

function deviation(values: Float64Array): number {
  let [sum, squares] = [0, 0]
  for (const value of values) {
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
