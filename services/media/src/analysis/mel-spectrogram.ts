import { powerOfTwo } from './fft.ts'
import { createPairSpectrum } from './pair-spectrum.ts'

/** One band of a filter bank: the first bin it takes from a spectrum, and how much of that and the following ones. */
interface Band {
  readonly firstBin: number
  readonly weights: Float64Array
}

const melOf = (hertz: number) => 2595 * Math.log10(1 + hertz / 700)
const hertzOf = (mel: number) => 700 * (10 ** (mel / 2595) - 1)

/** Triangles that overlap by half, as wide as hearing resolves, for the spectrum of `size` samples taken at `rate` Hz. */
function melBands(size: number, rate: number): Band[] {
  const { count, lowest, highest } = bandSettings
  const bottom = melOf(lowest)
  const step = (melOf(Math.min(highest, rate * 0.48)) - bottom) / (count + 1)
  const binWidth = rate / size
  return Array.from({ length: count }, (_, index) => {
    const [from, centre, to] = [0, 1, 2].map((corner) => hertzOf(bottom + step * (index + corner)) / binWidth) as [
      number,
      number,
      number,
    ]
    const firstBin = Math.ceil(from)
    const length = Math.max(1, Math.floor(to) - firstBin + 1)
    const weights = Float64Array.from({ length }, (_, bin) => {
      const at = firstBin + bin
      return Math.max(0, at < centre ? (at - from) / (centre - from) : (to - at) / (to - centre))
    })
    return { firstBin, weights }
  })
}

/** Levels of the mel bands over time, one row after the other; each row has `bands` values. */
export type MelSpectrogram = ReturnType<typeof melSpectrogram>

const bandSettings = { count: 40, lowest: 30, highest: 10_000 }
/** Length of the piece a row is taken of, seconds; rounded up to a power of two of samples. */
const windowSeconds = 0.035

/**
 * `rowsPerSecond` rows of 40 mel bands from 30 Hz to 10 kHz. Samples that are no numbers count as silence; a piece shorter than
 * one window has no rows.
 */
export function melSpectrogram(samples: Float32Array, sampleRate: number, rowsPerSecond: number) {
  const size = powerOfTwo(windowSeconds * sampleRate)
  const filters = melBands(size, sampleRate)
  const hop = sampleRate / rowsPerSecond
  const rows = Math.max(0, Math.floor((samples.length - size) / hop) + 1)
  const levels = new Float32Array(rows * filters.length)
  const magnitudesOf = createPairSpectrum(size)
  // Two rows at a time, see there; an odd last one has silence beside it.
  for (let row = 0; row < rows; row += 2) {
    const starts = [row, row + 1].map((index) => (index < rows ? Math.round(index * hop) : samples.length))
    const pair = magnitudesOf(samples, starts as [number, number])
    for (const [offset, magnitudes] of pair.entries())
      if (row + offset < rows) sumUp(magnitudes, filters, levels.subarray((row + offset) * filters.length))
  }
  // The first row begins in the middle of its window, seconds into the samples.
  return { levels, bands: filters.length, rows, begin: size / 2 / sampleRate }
}

function sumUp(magnitudes: Float64Array, filters: readonly Band[], row: Float32Array): void {
  for (let number = 0; number < filters.length; number += 1) {
    const { firstBin, weights } = filters[number] as Band
    let sum = 0
    for (let index = 0; index < weights.length; index += 1)
      sum += (magnitudes[firstBin + index] ?? 0) * (weights[index] as number)
    row[number] = sum
  }
}
