import { powerOfTwo } from './fft.ts'
import { createPairSpectrum, measurePair } from './pair-spectrum.ts'

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
  const bins = Math.min(size / 2, Math.max(...filters.map(({ firstBin, weights }) => firstBin + weights.length)))
  const spectra = createPairSpectrum(size, bins)
  // Two rows at a time, see there; an odd last one has silence beside it.
  for (let row = 0; row < rows; row += 2) {
    const next = row + 1 < rows ? Math.round((row + 1) * hop) : samples.length
    measurePair(spectra, samples, [Math.round(row * hop), next])
    sumUp(spectra.first, filters, { levels, from: row * filters.length })
    if (row + 1 < rows) sumUp(spectra.second, filters, { levels, from: (row + 1) * filters.length })
  }
  // The first row begins in the middle of its window, seconds into the samples.
  return { levels, bands: filters.length, rows, begin: size / 2 / sampleRate }
}

function sumUp(
  magnitudes: Float64Array,
  filters: readonly Band[],
  { levels, from }: { levels: Float32Array; from: number },
): void {
  for (let number = 0; number < filters.length; number += 1) {
    const { firstBin, weights } = filters[number] as Band
    const length = Math.min(weights.length, magnitudes.length - firstBin)
    let sum = 0
    for (let index = 0; index < length; index += 1)
      sum += (magnitudes[firstBin + index] as number) * (weights[index] as number)
    levels[from + number] = sum
  }
}
