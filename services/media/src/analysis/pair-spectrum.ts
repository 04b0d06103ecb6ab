import { createFft } from './fft.ts'

/** Magnitudes of the spectra of two pieces of the samples, given by where they start; the arrays are used again. */
export type PairSpectrum = (
  samples: Float32Array,
  starts: readonly [number, number],
) => readonly [Float64Array, Float64Array]

/**
 * Creates a function for the spectra of pieces of `size` samples under a Hann window. Two pieces take one transform: one is its
 * real part and the other its imaginary part. Samples that are no numbers, or beyond the end, count as silence.
 */
export function createPairSpectrum(size: number): PairSpectrum {
  const fft = createFft(size)
  const window = Float64Array.from({ length: size }, (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / size))
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)]
  const [first, second] = [new Float64Array(size / 2), new Float64Array(size / 2)]
  const take = (samples: Float32Array, start: number, target: Float64Array) => {
    for (let index = 0; index < size; index += 1) {
      const sample = samples[start + index] ?? 0
      target[index] = Number.isFinite(sample) ? sample * (window[index] as number) : 0
    }
  }
  return (samples, starts) => {
    take(samples, starts[0], real)
    take(samples, starts[1], imaginary)
    fft.transform(real, imaginary)
    separate({ real, imaginary, first, second })
    return [first, second]
  }
}

/** A real signal has an even spectrum: what is odd in the common one belongs to the other signal. */
function separate(spectra: {
  real: Float64Array
  imaginary: Float64Array
  first: Float64Array
  second: Float64Array
}): void {
  const { real, imaginary, first, second } = spectra
  for (let bin = 1; bin < first.length; bin += 1) {
    const mirror = real.length - bin
    const [a, b] = [real[bin] as number, real[mirror] as number]
    const [c, d] = [imaginary[bin] as number, imaginary[mirror] as number]
    first[bin] = Math.sqrt((a + b) ** 2 + (c - d) ** 2) / 2
    second[bin] = Math.sqrt((c + d) ** 2 + (b - a) ** 2) / 2
  }
}
