import { createPairSpectrum } from '../pair-spectrum.ts'

/** Length of a spectrum, samples, and the distance of two: at 22.05 kHz three quarters of a second and half of that. */
const [size, hop] = [16_384, 8192]
/** Range of the partials that count, Hz. */
const range = { lowest: 55, highest: 2200 } as const
/** Deviation of a partial from its semitone at which it counts half, semitones. */
const halfWidth = 0.2

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
  const least = strongest * 0.001
  const peaks: Partial[] = []
  for (let bin = first; bin <= last; bin += 1) {
    const at = magnitudes[bin] as number
    const [before, behind] = [magnitudes[bin - 1] as number, magnitudes[bin + 1] as number]
    if (at <= least || at < before || at <= behind) continue
    const [a, b, c] = [Math.log(before + 1e-12), Math.log(at), Math.log(behind + 1e-12)]
    const place = bin + (a - c) / (2 * (a - 2 * b + c) || 1)
    peaks.push({ pitch: 69 + 12 * Math.log2((place * binWidth) / 440), strength: Math.sqrt(at) })
  }
  return peaks
}

/** Deviation of the recording from 440 Hz, semitones from -0.5 to 0.5: the direction in which most partials lie. */
function tuningOf(rows: readonly (readonly Partial[])[]): number {
  let [x, y] = [0, 0]
  for (const { pitch, strength } of rows.flat()) {
    x += strength * Math.cos(2 * Math.PI * pitch)
    y += strength * Math.sin(2 * Math.PI * pitch)
  }
  return Math.atan2(y, x) / (2 * Math.PI)
}

function foldedRow(partials: readonly Partial[], tuning: number): Float64Array {
  const row = new Float64Array(12)
  for (const { pitch, strength } of partials) {
    const tuned = pitch - tuning
    const semitone = Math.round(tuned)
    const weight = Math.exp(-Math.LN2 * ((tuned - semitone) / halfWidth) ** 2)
    const place = ((semitone % 12) + 12) % 12
    row[place] = (row[place] as number) + strength * weight
  }
  const strongest = Math.max(...row)
  return strongest === 0 ? row : row.map((value) => value / strongest)
}
