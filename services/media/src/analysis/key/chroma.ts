import { createPairSpectrum } from '../pair-spectrum.ts'

/** Length of a spectrum, samples, and the distance of two: at 22.05 kHz three quarters of a second and half of that. */
const [size, hop] = [16_384, 8192]
/** Range of the partials that count, Hz. */
const range = { lowest: 55, highest: 2200 } as const
/** A partial weaker than this share of the strongest does not count. */
const minStrength = 0.001
/** Deviation of a partial from its semitone at which it counts half, semitones. */
const halfWidth = 0.2
/** A partial may be an overtone: it counts for the tones it would be the second, third and fourth partial of too, each time less. */
const overtones = { count: 4, share: 0.6 } as const

/** A partial in one spectrum: its pitch as a MIDI number with fractions, and its strength. */
interface Partial {
  readonly pitch: number
  readonly strength: number
}

/** The twelve pitch classes over time, C first: one row for each spectrum. The strongest of a row is 1; a silent row is left out. */
export type Chromagram = readonly Float64Array[]

/** Calculates the chroma of mono samples, adjusted to the tuning of the recording. */
export function chromagram(pieces: readonly Float32Array[], sampleRate: number): Chromagram {
  const rows = pieces.flatMap((piece) => partialsOf(piece, sampleRate))
  const tuning = tuningOf(rows)
  return rows.map((row) => foldedRow(row, tuning)).filter((row) => row.some((value) => value > 0))
}

function partialsOf(samples: Float32Array, sampleRate: number): Partial[][] {
  const spectraOf = createPairSpectrum(size)
  const rows: Partial[][] = []
  for (let start = 0; start + size <= samples.length; start += 2 * hop)
    for (const [offset, magnitudes] of spectraOf(samples, [start, start + hop]).entries())
      if (start + offset * hop + size <= samples.length) rows.push(peaksOf(magnitudes, sampleRate / size))
  return rows
}

/** Local maxima of a spectrum, with their place between the bins by a parabola through the logarithms. */
function peaksOf(magnitudes: Float64Array, binWidth: number): Partial[] {
  const [first, last] = [Math.ceil(range.lowest / binWidth), Math.floor(range.highest / binWidth)]
  let strongest = 0
  for (let bin = first; bin <= last; bin += 1) strongest = Math.max(strongest, magnitudes[bin] as number)
  const peaks: Partial[] = []
  for (let bin = first; bin <= last; bin += 1) {
    const at = magnitudes[bin] as number
    const [before, behind] = [magnitudes[bin - 1] as number, magnitudes[bin + 1] as number]
    if (at <= strongest * minStrength || at < before || at <= behind) continue
    const [a, b, c] = [Math.log(before + 1e-12), Math.log(at), Math.log(behind + 1e-12)]
    const place = bin + (a - c) / (2 * (a - 2 * b + c) || 1)
    peaks.push({ pitch: 69 + 12 * Math.log2((place * binWidth) / 440), strength: at })
  }
  return peaks
}

/** Deviation of the recording from 440 Hz, semitones from -0.5 to 0.5: the direction in which most partials lie. */
function tuningOf(rows: readonly (readonly Partial[])[]): number {
  let [x, y] = [0, 0]
  for (const row of rows)
    for (const { pitch, strength } of row) {
      const weight = Math.sqrt(strength)
      x += weight * Math.cos(2 * Math.PI * pitch)
      y += weight * Math.sin(2 * Math.PI * pitch)
    }
  return Math.atan2(y, x) / (2 * Math.PI)
}

/** Semitones from a tone up to its partials, and what each counts. */
const intervals = Array.from({ length: overtones.count }, (_, index) => ({
  semitones: 12 * Math.log2(index + 1),
  weight: overtones.share ** index,
}))

function foldedRow(partials: readonly Partial[], tuning: number): Float64Array {
  const row = new Float64Array(12)
  for (const { pitch, strength } of partials)
    for (const { semitones, weight } of intervals) {
      const tone = pitch - tuning - semitones
      const nearest = Math.round(tone)
      const place = ((nearest % 12) + 12) % 12
      const closeness = Math.exp(-Math.LN2 * ((tone - nearest) / halfWidth) ** 2)
      row[place] = (row[place] as number) + strength * weight * closeness
    }
  const strongest = Math.max(...row)
  return strongest > 0 ? row.map((value) => value / strongest) : row
}
