import { createPairSpectrum, measurePair } from '../pair-spectrum.ts'

/** Length of a spectrum, samples, and the distance of two: at 22.05 kHz three quarters of a second and half of that. */
const [size, hop] = [16_384, 8192]
/** Range of the partials that count, Hz. */
const range = { lowest: 55, highest: 2200 } as const
/** A partial weaker than this share of the strongest does not count. */
const minStrength = 0.001
/** A spectrum whose strongest partial is weaker than this share of the strongest of all is silent: what is there is rounding. */
const silence = 1e-12
/** Deviation of a partial from its semitone at which it counts half, semitones. */
const halfWidth = 0.2
/** A partial may be an overtone: it counts for the tones it would be the second, third and fourth partial of too, each time less. */
const overtones = { count: 4, share: 0.6 } as const

/** The partials of one spectrum: their pitches as MIDI numbers with fractions, and their strengths. */
interface Partials {
  readonly strongest: number
  readonly pitches: Float64Array
  readonly strengths: Float64Array
}

/** The twelve pitch classes over time, C first: one row for each spectrum. The strongest of a row is 1; a silent row is left out. */
export type Chromagram = readonly Float64Array[]

/** Calculates the chroma of mono samples, adjusted to the tuning of the recording. */
export function chromagram(pieces: readonly Float32Array[], sampleRate: number): Chromagram {
  const all = pieces.flatMap((piece) => partialsOf(piece, sampleRate))
  const strongest = all.reduce((most, row) => Math.max(most, row.strongest), 0)
  const rows = all.filter((row) => row.strongest > strongest * silence)
  const tuning = tuningOf(rows)
  return rows.map((row) => foldedRow(row, tuning))
}

function partialsOf(samples: Float32Array, sampleRate: number): Partials[] {
  const binWidth = sampleRate / size
  const spectra = createPairSpectrum(size, Math.floor(range.highest / binWidth) + 2)
  const rows: Partials[] = []
  for (let start = 0; start + size <= samples.length; start += 2 * hop) {
    measurePair(spectra, samples, [start, start + hop])
    rows.push(peaksOf(spectra.first, binWidth))
    if (start + hop + size <= samples.length) rows.push(peaksOf(spectra.second, binWidth))
  }
  return rows
}

/** Local maxima of a spectrum, with their place between the bins by a parabola through the logarithms. */
function peaksOf(magnitudes: Float64Array, binWidth: number): Partials {
  const [first, last] = [Math.ceil(range.lowest / binWidth), Math.floor(range.highest / binWidth)]
  let strongest = 0
  for (let bin = first; bin <= last; bin += 1) strongest = Math.max(strongest, magnitudes[bin] as number)
  const pitches = new Float64Array(last - first + 1)
  const strengths = new Float64Array(last - first + 1)
  let count = 0
  for (let bin = first; bin <= last; bin += 1) {
    const at = magnitudes[bin] as number
    const before = magnitudes[bin - 1] as number
    const behind = magnitudes[bin + 1] as number
    if (at <= strongest * minStrength || at < before || at <= behind) continue
    const a = Math.log(before + 1e-12)
    const b = Math.log(at)
    const c = Math.log(behind + 1e-12)
    const place = bin + (a - c) / (2 * (a - 2 * b + c) || 1)
    pitches[count] = 69 + 12 * Math.log2((place * binWidth) / 440)
    strengths[count] = at
    count += 1
  }
  return { strongest, pitches: pitches.slice(0, count), strengths: strengths.slice(0, count) }
}

/** Deviation of the recording from 440 Hz, semitones from -0.5 to 0.5: the direction in which most partials lie. */
function tuningOf(rows: readonly Partials[]): number {
  let x = 0
  let y = 0
  for (const { pitches, strengths } of rows)
    for (let index = 0; index < pitches.length; index += 1) {
      const weight = Math.sqrt(strengths[index] as number)
      const angle = 2 * Math.PI * (pitches[index] as number)
      x += weight * Math.cos(angle)
      y += weight * Math.sin(angle)
    }
  return Math.atan2(y, x) / (2 * Math.PI)
}

/** Semitones from a tone up to its partials, and what each counts. */
const intervals = Float64Array.from({ length: overtones.count }, (_, index) => 12 * Math.log2(index + 1))
const weights = Float64Array.from({ length: overtones.count }, (_, index) => overtones.share ** index)

function foldedRow({ pitches, strengths }: Partials, tuning: number): Float64Array {
  const row = new Float64Array(12)
  for (let index = 0; index < pitches.length; index += 1)
    for (let overtone = 0; overtone < overtones.count; overtone += 1) {
      const tone = (pitches[index] as number) - tuning - (intervals[overtone] as number)
      const nearest = Math.round(tone)
      const place = ((nearest % 12) + 12) % 12
      const deviation = (tone - nearest) / halfWidth
      const closeness = Math.exp(-Math.LN2 * deviation * deviation)
      row[place] = (row[place] as number) + (strengths[index] as number) * (weights[overtone] as number) * closeness
    }
  const strongest = Math.max(...row)
  return strongest > 0 ? row.map((value) => value / strongest) : row
}
