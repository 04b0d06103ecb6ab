import { valueAt } from '../series.ts'
import { envelopeRate } from '../onset-envelope.ts'
import type { Periodicity } from './periodicity.ts'

/** Range of tempi, BPM. */
export const tempoRange = { slowest: 40, fastest: 220 } as const

/** Relations in which a tempo is mistaken for another: octaves, and groups of three that are heard as two or four. */
const relations = [1, 1 / 2, 2, 1 / 3, 3, 2 / 3, 3 / 2, 3 / 4, 4 / 3, 1 / 4, 4, 4 / 5, 5 / 4] as const
/** Strongest tempi that are tried with all their relations. */
const strongest = 5
/** Tempi nearer than this are the same, as a share. */
const same = 0.025
const step = 0.004
const teeth = Float64Array.of(1, 2, 3, 4, 6, 8)

/** Mean of a correlation at multiples of the beat, near ones more. */
function comb(correlation: Float64Array, bpm: number): number {
  const period = (60 * envelopeRate) / bpm
  let sum = 0
  let weights = 0
  for (let index = 0; index < teeth.length; index += 1) {
    const tooth = teeth[index] as number
    if (period * tooth > correlation.length - 2) break
    const weight = 1 / Math.sqrt(tooth)
    sum += weight * valueAt(correlation, period * tooth)
    weights += weight
  }
  return weights === 0 ? 0 : sum / weights
}

/** Tempi that the beat may have, BPM: the ones that are found again most, and their relations. */
export function tempoCandidates({ mean }: Periodicity): number[] {
  const peaks: { bpm: number; value: number }[] = []
  const at = (index: number) => tempoRange.slowest * (1 + step) ** index
  const values: number[] = []
  for (let index = 0; at(index) <= tempoRange.fastest * 1.5; index += 1) values.push(comb(mean, at(index)))
  for (let index = 1; index < values.length - 1; index += 1) {
    const value = values[index] as number
    if (value >= (values[index - 1] as number) && value > (values[index + 1] as number))
      peaks.push({ bpm: at(index), value })
  }
  peaks.sort((one, other) => other.value - one.value)
  const found: number[] = []
  for (const { bpm } of peaks.slice(0, strongest))
    for (const relation of relations) {
      const wanted = bpm * relation
      if (wanted < tempoRange.slowest * 0.98 || wanted > tempoRange.fastest * 1.02) continue
      const exact = refine(mean, wanted)
      if (found.every((other) => Math.abs(Math.log(exact / other)) > same)) found.push(exact)
    }
  return found
}

/** The tempo near another at which the comb is highest. */
function refine(correlation: Float64Array, bpm: number): number {
  let best = { bpm, value: -Infinity }
  for (let share = -0.016; share <= 0.0161; share += 0.002) {
    const value = comb(correlation, bpm * (1 + share))
    if (value > best.value) best = { bpm: bpm * (1 + share), value }
  }
  return best.bpm
}
