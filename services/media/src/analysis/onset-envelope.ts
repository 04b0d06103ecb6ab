import { melSpectrogram, type MelSpectrogram } from './mel-spectrogram.ts'

/** Values of an envelope per second. */
export const envelopeRate = 100

/** Strength of onsets at each hundredth of a second, in all bands together and in four ranges of them. */
export interface OnsetEnvelopes {
  readonly whole: Float64Array
  /** Bass drum and bass; drums and voices; snare and consonants; cymbals. */
  readonly ranges: readonly Float64Array[]
  /** How much the sound after a moment differs from the one before it: where chords change. */
  readonly change: Float64Array
  /** Time of the first value, seconds into the samples. */
  readonly begin: number
}

/** Bands the ranges begin and end with: about 230 Hz, 1 kHz and 3.2 kHz lie between them. */
const rangeEdges = [0, 5, 14, 26, 40] as const
/** Compression before sounds are compared: a sound of average level counts log(1 + this). */
const compression = 30
/** A sound is noticed this much before the middle of the piece that shows it is at it, seconds. */
const earliness = 0.01
/** Width of the running mean taken away, seconds on each side. */
const meanReach = 0.5

/**
 * Onset envelopes of mono samples: growth of the compressed mel spectrum, summed over bands, as far as it exceeds its running
 * mean. Gain and a constant offset do not change them.
 */
export function onsetEnvelopes(samples: Float32Array, sampleRate: number): OnsetEnvelopes {
  const spectrogram = melSpectrogram(samples, sampleRate, envelopeRate)
  compress(spectrogram)
  const { whole, ranges } = growth(spectrogram)
  return {
    whole: aboveMean(whole),
    ranges: ranges.map(aboveMean),
    change: aboveMean(changes(spectrogram)),
    begin: spectrogram.begin + earliness,
  }
}

/** The same envelopes for a stretch of time, in values from the first one. */
export function cutEnvelopes(envelopes: OnsetEnvelopes, from: number, to: number): OnsetEnvelopes {
  return {
    whole: envelopes.whole.subarray(from, to),
    ranges: envelopes.ranges.map((range) => range.subarray(from, to)),
    change: envelopes.change.subarray(from, to),
    begin: envelopes.begin + from / envelopeRate,
  }
}

/** The envelopes of a sound whose stretches, of `length` values each, were read one after the other. */
export function joinEnvelopes(parts: readonly OnsetEnvelopes[], length: number): OnsetEnvelopes {
  const join = (valuesOf: (part: OnsetEnvelopes) => Float64Array): Float64Array => {
    const pieces = parts.map((part, index) =>
      index < parts.length - 1 ? valuesOf(part).subarray(0, length) : valuesOf(part),
    )
    const joined = new Float64Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
    let at = 0
    for (const piece of pieces) {
      joined.set(piece, at)
      at += piece.length
    }
    return joined
  }
  const ranges = (parts[0]?.ranges ?? []).map((_, range) => join((part) => part.ranges[range] ?? new Float64Array(0)))
  return {
    whole: join(({ whole }) => whole),
    ranges,
    change: join(({ change }) => change),
    begin: parts[0]?.begin ?? 0,
  }
}

/** Logarithm of levels relative to their mean, so that gain does not count. */
function compress({ levels }: MelSpectrogram): void {
  let sum = 0
  for (let index = 0; index < levels.length; index += 1) sum += levels[index] as number
  const scale = (compression * levels.length) / sum
  if (!Number.isFinite(scale)) return
  for (let index = 0; index < levels.length; index += 1) levels[index] = Math.log1p((levels[index] as number) * scale)
}

/** Growth of each row over the one before it, in each range of bands and in all together. */
function growth({ levels, bands, rows }: MelSpectrogram): { whole: Float64Array; ranges: Float64Array[] } {
  const whole = new Float64Array(rows)
  const ranges = rangeEdges.slice(1).map((end, range) => {
    const flux = new Float64Array(rows)
    const start = rangeEdges[range] as number
    for (let row = 1; row < rows; row += 1) {
      let sum = 0
      for (let index = row * bands + start; index < row * bands + end; index += 1)
        sum += Math.max(0, (levels[index] as number) - (levels[index - bands] as number))
      flux[row] = sum
      whole[row] = (whole[row] as number) + sum
    }
    return flux
  })
  return { whole, ranges }
}

/** Rows on each side of a moment that are compared, and the bands they are compared in: up to 3.2 kHz, where chords are. */
const compared = { rows: 20, bands: 26 } as const

/** Difference of the mean rows after and before each moment. */
function changes({ levels, bands, rows }: MelSpectrogram): Float64Array {
  const result = new Float64Array(rows)
  for (let band = 1; band < compared.bands; band += 1) {
    let difference = 0
    for (let row = 0; row < rows + compared.rows; row += 1) {
      // The newest row joins those after the moment, the oldest of them those before, and the oldest of those leaves.
      if (row < rows) difference += levels[row * bands + band] as number
      const between = row - compared.rows
      if (between >= 0) difference -= 2 * (levels[between * bands + band] as number)
      if (between >= compared.rows) difference += levels[(between - compared.rows) * bands + band] as number
      const moment = row - compared.rows + 1
      if (moment >= compared.rows && moment < rows - compared.rows)
        result[moment] = (result[moment] as number) + Math.abs(difference)
    }
  }
  return result
}

function aboveMean(values: Float64Array): Float64Array {
  const reach = Math.round(meanReach * envelopeRate)
  const sums = new Float64Array(values.length + 1)
  for (let index = 0; index < values.length; index += 1)
    sums[index + 1] = (sums[index] as number) + (values[index] as number)
  const result = new Float64Array(values.length)
  for (let index = 0; index < values.length; index += 1) {
    const from = Math.max(0, index - reach)
    const to = Math.min(values.length, index + reach + 1)
    const mean = ((sums[to] as number) - (sums[from] as number)) / (to - from)
    result[index] = Math.max(0, (values[index] as number) - mean)
  }
  return result
}
