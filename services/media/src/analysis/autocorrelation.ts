import { createFft, powerOfTwo } from './fft.ts'

/**
 * Calculates the autocorrelation of a series, 1 at lag 0, around 0 without resemblance; for lags up to `longest` values. Its mean
 * is taken away first, and lags that have less to compare are not counted lower for it. A constant series has none.
 */
export function autocorrelation(values: Float64Array, longest: number): Float64Array {
  const result = new Float64Array(longest + 1)
  const fft = createFft(powerOfTwo(values.length + longest + 1))
  const [real, imaginary] = [new Float64Array(fft.size), new Float64Array(fft.size)]
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  for (let index = 0; index < values.length; index += 1) real[index] = (values[index] as number) - mean
  fft.transform(real, imaginary)
  for (let bin = 0; bin < fft.size; bin += 1) {
    real[bin] = (real[bin] as number) ** 2 + (imaginary[bin] as number) ** 2
    imaginary[bin] = 0
  }
  fft.transform(real, imaginary)
  const whole = (real[0] as number) / Math.max(1, values.length)
  if (!(whole > 0)) return result
  for (let lag = 0; lag <= longest && lag < values.length; lag += 1)
    result[lag] = (real[lag] as number) / (values.length - lag) / whole
  return result
}

/** Value of a series at a place between two of its values; 0 beyond its end. */
export function valueAt(values: Float64Array, place: number): number {
  const index = Math.floor(place)
  const before = values[index] ?? 0
  return before + (place - index) * ((values[index + 1] ?? 0) - before)
}
