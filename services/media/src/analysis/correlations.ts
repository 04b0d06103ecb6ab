import { createFft, powerOfTwo, transformOrdered, type Fft } from './fft.ts'
import { meanOf } from './series.ts'

/** Half of the spectrum of a real series; the other half mirrors it. */
interface HalfSpectrum {
  readonly real: Float64Array
  readonly imaginary: Float64Array
}

/** What correlations of series of `length` values for `lags` lags are calculated with. */
export interface Correlator {
  readonly length: number
  readonly lags: number
  readonly fft: Fft
  readonly real: Float64Array
  readonly imaginary: Float64Array
}

/** Creates a correlator of series of `length` values for `lags` lags, from 0. */
export function createCorrelator(length: number, lags: number): Correlator {
  const fft = createFft(powerOfTwo(length + lags))
  return { length, lags, fft, real: new Float64Array(fft.size), imaginary: new Float64Array(fft.size) }
}

/**
 * Correlates pairs of series, given by their numbers: the sum of products for each lag, the mean of both directions. Means are
 * taken away first. Two series take one transform, and two correlations another.
 */
export function correlate(
  correlator: Correlator,
  series: readonly Float64Array[],
  pairs: readonly (readonly [number, number])[],
): Float64Array[] {
  const { fft, real, imaginary } = correlator
  const spectra: HalfSpectrum[] = []
  for (let number = 0; number < series.length; number += 2) {
    take(correlator, series[number], real)
    take(correlator, series[number + 1], imaginary)
    transformOrdered(fft, real, imaginary)
    spectra.push(...halves(real, imaginary))
  }
  const results = pairs.map(() => new Float64Array(correlator.lags))
  for (let number = 0; number < pairs.length; number += 2) {
    const [pair, next] = [pairs[number], pairs[number + 1]]
    imaginary.fill(0)
    if (pair !== undefined) multiply(fft, [spectra[pair[0]], spectra[pair[1]]] as HalfPair, real)
    if (next !== undefined) multiply(fft, [spectra[next[0]], spectra[next[1]]] as HalfPair, imaginary)
    transformOrdered(fft, real, imaginary)
    read(results[number], real)
    read(results[number + 1], imaginary)
  }
  return results
}

type HalfPair = readonly [HalfSpectrum, HalfSpectrum]

function take({ length, fft: { order } }: Correlator, values: Float64Array | undefined, target: Float64Array): void {
  target.fill(0)
  if (values === undefined) return
  const mean = meanOf(values)
  for (let index = 0; index < length; index += 1) target[order[index] as number] = (values[index] as number) - mean
}

/** Writes the spectrum of a correlation. It is real and even, and so is the correlation: a second one fits beside it. */
function multiply({ size, order }: Fft, [one, other]: HalfPair, target: Float64Array): void {
  for (let bin = 0; bin <= size / 2; bin += 1) {
    const product =
      (one.real[bin] as number) * (other.real[bin] as number) +
      (one.imaginary[bin] as number) * (other.imaginary[bin] as number)
    target[order[bin] as number] = product
    target[order[(size - bin) % size] as number] = product
  }
}

function read(result: Float64Array | undefined, source: Float64Array): void {
  if (result === undefined) return
  for (let lag = 0; lag < result.length; lag += 1) result[lag] = (source[lag] as number) / source.length
}

/** The spectra of two real series, of which one was the real and the other the imaginary part. */
function halves(real: Float64Array, imaginary: Float64Array): [HalfSpectrum, HalfSpectrum] {
  const size = real.length
  const spectrum = () => ({ real: new Float64Array(size / 2 + 1), imaginary: new Float64Array(size / 2 + 1) })
  const [first, second] = [spectrum(), spectrum()]
  for (let bin = 0; bin <= size / 2; bin += 1) {
    const mirror = (size - bin) % size
    first.real[bin] = ((real[bin] as number) + (real[mirror] as number)) / 2
    first.imaginary[bin] = ((imaginary[bin] as number) - (imaginary[mirror] as number)) / 2
    second.real[bin] = ((imaginary[bin] as number) + (imaginary[mirror] as number)) / 2
    second.imaginary[bin] = ((real[mirror] as number) - (real[bin] as number)) / 2
  }
  return [first, second]
}

/**
 * Calculates the autocorrelations of series of one length, 1 at lag 0, around 0 without resemblance; for lags up to `maxLag`.
 * Lags that have less to compare are not counted lower for it. A constant series has none.
 */
export function autocorrelations(series: readonly Float64Array[], maxLag: number): Float64Array[] {
  const length = series[0]?.length ?? 0
  const pairs = series.map((_, number) => [number, number] as const)
  const sums = correlate(createCorrelator(length, maxLag + 1), series, pairs)
  return sums.map((values) => {
    const result = new Float64Array(maxLag + 1)
    const whole = (values[0] as number) / Math.max(1, length)
    if (!(whole > 1e-12)) return result
    for (let lag = 0; lag <= maxLag && lag < length; lag += 1)
      result[lag] = (values[lag] as number) / (length - lag) / whole
    return result
  })
}
