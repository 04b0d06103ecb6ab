/**
 * Creates a Fourier transform of `size` complex values, a power of two; `transform` works in place on real and imaginary parts
 * of that length.
 */
export function createFft(size: number) {
  if (size < 2 || (size & (size - 1)) !== 0) throw new RangeError(`a transform of ${size} values is not possible`)
  const cosine = Float64Array.from({ length: size / 2 }, (_, index) => Math.cos((2 * Math.PI * index) / size))
  const sine = Float64Array.from({ length: size / 2 }, (_, index) => Math.sin((2 * Math.PI * index) / size))
  const order = reversedBits(size)

  function transform(real: Float64Array, imaginary: Float64Array): void {
    for (let index = 0; index < size; index += 1) {
      const other = order[index] as number
      if (other > index) {
        swap(real, index, other)
        swap(imaginary, index, other)
      }
    }
    for (let half = 1; half < size; half *= 2) {
      const stride = size / (2 * half)
      for (let offset = 0; offset < half; offset += 1) {
        const c = cosine[offset * stride] as number
        const s = sine[offset * stride] as number
        for (let low = offset; low < size; low += 2 * half) {
          const high = low + half
          const highReal = real[high] as number
          const highImaginary = imaginary[high] as number
          const turnedReal = highReal * c + highImaginary * s
          const turnedImaginary = highImaginary * c - highReal * s
          const lowReal = real[low] as number
          const lowImaginary = imaginary[low] as number
          real[high] = lowReal - turnedReal
          imaginary[high] = lowImaginary - turnedImaginary
          real[low] = lowReal + turnedReal
          imaginary[low] = lowImaginary + turnedImaginary
        }
      }
    }
  }

  return { size, transform }
}

/** The least power of two that is not below `length`. */
export function powerOfTwo(length: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(2, length)))
}

function reversedBits(size: number): Uint32Array {
  const order = new Uint32Array(size)
  for (let index = 1; index < size; index += 1)
    order[index] = ((order[index >> 1] as number) >> 1) | ((index & 1) === 1 ? size >> 1 : 0)
  return order
}

function swap(values: Float64Array, one: number, other: number): void {
  const kept = values[one] as number
  values[one] = values[other] as number
  values[other] = kept
}

/**
 * Calculates the autocorrelation of a series, 1 at lag 0, around 0 without resemblance; for lags up to `maxLag` values. Its mean
 * is taken away first, and lags that have less to compare are not counted lower for it. A constant series has none.
 */
export function autocorrelation(values: Float64Array, maxLag: number): Float64Array {
  const result = new Float64Array(maxLag + 1)
  const fft = createFft(powerOfTwo(values.length + maxLag + 1))
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
  for (let lag = 0; lag <= maxLag && lag < values.length; lag += 1)
    result[lag] = (real[lag] as number) / (values.length - lag) / whole
  return result
}

/** Scales a series to standard deviation 1; a constant one stays. */
export function withDeviationOne(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length)
  return variance === 0 ? values : values.map((value) => value / Math.sqrt(variance))
}

/** Value of a series at a place between two of its values; 0 beyond its end. */
export function valueAt(values: Float64Array, place: number): number {
  const index = Math.floor(place)
  const before = values[index] ?? 0
  return before + (place - index) * ((values[index + 1] ?? 0) - before)
}
