import { createFft, transformOrdered, type Fft } from './fft.ts'

/** Magnitudes of the spectra of two pieces of the samples, and what they are calculated with; the arrays are used again. */
export interface PairSpectrum {
  readonly first: Float64Array
  readonly second: Float64Array
  readonly fft: Fft
  readonly window: Float64Array
  readonly real: Float64Array
  readonly imaginary: Float64Array
}

/**
 * Creates the spectra of pieces of `size` samples under a Hann window; `bins` is the number of magnitudes that are wanted, from
 * the lowest, at most half of `size`.
 */
export function createPairSpectrum(size: number, bins: number): PairSpectrum {
  const window = new Float64Array(size)
  for (let index = 0; index < size; index += 1) window[index] = 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / size)
  return {
    first: new Float64Array(bins),
    second: new Float64Array(bins),
    fft: createFft(size),
    window,
    real: new Float64Array(size),
    imaginary: new Float64Array(size),
  }
}

/**
 * Calculates the spectra of the pieces that start at two places. They take one transform: one is its real part and the other its
 * imaginary part. Samples that are no numbers, or beyond the end, count as silence.
 */
export function measurePair(spectra: PairSpectrum, samples: Float32Array, starts: readonly [number, number]): void {
  const { fft, real, imaginary } = spectra
  take(spectra, samples.subarray(starts[0]), real)
  take(spectra, samples.subarray(starts[1]), imaginary)
  transformOrdered(fft, real, imaginary)
  separate(spectra)
}

function take({ fft, window }: PairSpectrum, samples: Float32Array, target: Float64Array): void {
  const { size, order } = fft
  const length = Math.min(size, samples.length)
  for (let index = 0; index < length; index += 1) {
    const value = (samples[index] as number) * (window[index] as number)
    // What is no number, or infinite, is not 0 less itself.
    target[order[index] as number] = value - value === 0 ? value : 0
  }
  for (let index = length; index < size; index += 1) target[order[index] as number] = 0
}

/** A real signal has an even spectrum: what is odd in the common one belongs to the other signal. */
function separate({ first, second, real, imaginary }: PairSpectrum): void {
  for (let bin = 1; bin < first.length; bin += 1) {
    const mirror = real.length - bin
    const even = (real[bin] as number) + (real[mirror] as number)
    const odd = (imaginary[bin] as number) - (imaginary[mirror] as number)
    first[bin] = Math.sqrt(even * even + odd * odd) / 2
    const otherEven = (imaginary[bin] as number) + (imaginary[mirror] as number)
    const otherOdd = (real[mirror] as number) - (real[bin] as number)
    second[bin] = Math.sqrt(otherEven * otherEven + otherOdd * otherOdd) / 2
  }
}
