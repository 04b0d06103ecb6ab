/**
 * Tables of a Fourier transform. The functions that use them stand outside, because a function of each object would be compiled
 * anew for each.
 */
export interface Fft {
  readonly size: number
  /** Places in which `transformOrdered` expects the values: the value of place `index` at `order[index]`. */
  readonly order: Uint32Array
  readonly steps: readonly Step[]
}

const known = new Map<number, Fft>()

/** Returns the tables for `size` complex values, a power of two. They are calculated once for each size. */
export function createFft(size: number): Fft {
  if (size < 2 || (size & (size - 1)) !== 0) throw new RangeError(`a transform of ${size} values is not possible`)
  const fft = known.get(size) ?? { size, order: reversedBits(size), steps: stepsOf(size) }
  known.set(size, fft)
  return fft
}

const isPowerOfFour = (size: number): boolean => Math.log2(size) % 2 === 0

/** Steps of four values each; a size that is twice a power of four begins with one of two. */
function stepsOf(size: number): Step[] {
  const steps: Step[] = []
  for (let quarter = isPowerOfFour(size) ? 4 : 2; quarter < size; quarter *= 4) steps.push(stepOf(quarter))
  return steps
}

/** Transforms values in place, given as real and imaginary parts. */
export function transform({ size, order, steps }: Fft, real: Float64Array, imaginary: Float64Array): void {
  for (let index = 0; index < size; index += 1) {
    const other = order[index] as number
    if (other > index) {
      swap(real, index, other)
      swap(imaginary, index, other)
    }
  }
  transformOrdered({ size, order, steps }, real, imaginary)
}

/** Transforms values in place that already lie in the order of `order`. */
export function transformOrdered({ size, steps }: Fft, real: Float64Array, imaginary: Float64Array): void {
  if (isPowerOfFour(size)) foursAlone(size, real, imaginary)
  else twosAlone(size, real, imaginary)
  for (let number = 0; number < steps.length; number += 1) joinFours(steps[number] as Step, real, imaginary)
}

/** Joins transforms of `quarter` values to ones four times as long. */
interface Step {
  readonly quarter: number
  /** Cosines and sines by which the second, third and fourth part are turned: six values for each place. */
  readonly turns: Float64Array
}

function stepOf(quarter: number): Step {
  const turns = new Float64Array(6 * quarter)
  for (let place = 0; place < quarter; place += 1)
    // The order of bits that are reversed has the third part before the second.
    for (const [part, multiple] of [2, 1, 3].entries()) {
      const angle = (2 * Math.PI * multiple * place) / (4 * quarter)
      turns[6 * place + 2 * part] = Math.cos(angle)
      turns[6 * place + 2 * part + 1] = Math.sin(angle)
    }
  return { quarter, turns }
}

function twosAlone(size: number, real: Float64Array, imaginary: Float64Array): void {
  for (let low = 0; low < size; low += 2) {
    const aReal = real[low] as number
    const aImaginary = imaginary[low] as number
    const bReal = real[low + 1] as number
    const bImaginary = imaginary[low + 1] as number
    real[low] = aReal + bReal
    imaginary[low] = aImaginary + bImaginary
    real[low + 1] = aReal - bReal
    imaginary[low + 1] = aImaginary - bImaginary
  }
}

/** The first step of a size that is a power of four: nothing is turned. */
function foursAlone(size: number, real: Float64Array, imaginary: Float64Array): void {
  for (let low = 0; low < size; low += 4) {
    const sumReal = (real[low] as number) + (real[low + 1] as number)
    const sumImaginary = (imaginary[low] as number) + (imaginary[low + 1] as number)
    const gapReal = (real[low] as number) - (real[low + 1] as number)
    const gapImaginary = (imaginary[low] as number) - (imaginary[low + 1] as number)
    const otherReal = (real[low + 2] as number) + (real[low + 3] as number)
    const otherImaginary = (imaginary[low + 2] as number) + (imaginary[low + 3] as number)
    const turnedReal = (imaginary[low + 2] as number) - (imaginary[low + 3] as number)
    const turnedImaginary = (real[low + 3] as number) - (real[low + 2] as number)
    real[low] = sumReal + otherReal
    imaginary[low] = sumImaginary + otherImaginary
    real[low + 1] = gapReal + turnedReal
    imaginary[low + 1] = gapImaginary + turnedImaginary
    real[low + 2] = sumReal - otherReal
    imaginary[low + 2] = sumImaginary - otherImaginary
    real[low + 3] = gapReal - turnedReal
    imaginary[low + 3] = gapImaginary - turnedImaginary
  }
}

function joinFours({ quarter, turns }: Step, real: Float64Array, imaginary: Float64Array): void {
  const size = real.length
  for (let block = 0; block < size; block += 4 * quarter) {
    let turn = 0
    for (let a = block; a < block + quarter; a += 1) {
      const b = a + quarter
      const c = b + quarter
      const d = c + quarter
      const bCosine = turns[turn] as number
      const bSine = turns[turn + 1] as number
      const bReal = (real[b] as number) * bCosine + (imaginary[b] as number) * bSine
      const bImaginary = (imaginary[b] as number) * bCosine - (real[b] as number) * bSine
      const cCosine = turns[turn + 2] as number
      const cSine = turns[turn + 3] as number
      const cReal = (real[c] as number) * cCosine + (imaginary[c] as number) * cSine
      const cImaginary = (imaginary[c] as number) * cCosine - (real[c] as number) * cSine
      const dCosine = turns[turn + 4] as number
      const dSine = turns[turn + 5] as number
      const dReal = (real[d] as number) * dCosine + (imaginary[d] as number) * dSine
      const dImaginary = (imaginary[d] as number) * dCosine - (real[d] as number) * dSine
      const sumReal = (real[a] as number) + bReal
      const sumImaginary = (imaginary[a] as number) + bImaginary
      const gapReal = (real[a] as number) - bReal
      const gapImaginary = (imaginary[a] as number) - bImaginary
      real[a] = sumReal + cReal + dReal
      imaginary[a] = sumImaginary + cImaginary + dImaginary
      real[c] = sumReal - cReal - dReal
      imaginary[c] = sumImaginary - cImaginary - dImaginary
      real[b] = gapReal + cImaginary - dImaginary
      imaginary[b] = gapImaginary - cReal + dReal
      real[d] = gapReal - cImaginary + dImaginary
      imaginary[d] = gapImaginary + cReal - dReal
      turn += 6
    }
  }
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
