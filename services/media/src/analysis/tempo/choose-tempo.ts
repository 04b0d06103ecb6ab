import { onsetDensity } from '../octave-rule.ts'
import type { OnsetEnvelopes } from '../onset-envelope.ts'
import { scoresOf, type NetworkWeights } from './network.ts'
import { periodicityOf } from './periodicity.ts'
import { tempoCandidates, tempoRange } from './tempo-candidates.ts'
import { metres, type TempoModel } from './tempo-model.ts'
import { signatureOf, type Signature } from './tempo-signature.ts'

/** A tempo that the beat may have, with its signature. */
export interface Candidate {
  readonly bpm: number
  readonly signature: Signature
}

/** The likeliest tempo of a sound. */
export interface ChosenTempo {
  readonly bpm: number
  /** The likelier of its half and double. */
  readonly alternative: number | null
  /** Upper number of the time signature. */
  readonly metre: number
  /** Share of the score that it has of all tempi, 0 to 1: not calibrated. */
  readonly share: number
  /** Likelihood that the sound has a beat at all, 0 to 1. */
  readonly beat: number
}

/** The tempi that the beat of a sound may have. */
export function candidatesOf(envelopes: OnsetEnvelopes): Candidate[] {
  const periodicity = periodicityOf(envelopes)
  const densities = [envelopes.whole, ...envelopes.ranges, envelopes.change].map((one) => onsetDensity(one))
  return tempoCandidates(periodicity).map((bpm) => ({ bpm, signature: signatureOf(periodicity, densities, bpm) }))
}

/** Shares of all pairs of candidate and metre: a row of metres for each candidate, 1 in total. */
export function sharesOf(networks: readonly NetworkWeights[], candidates: readonly Candidate[]): Float64Array[] {
  const sums = candidates.map(() => new Float64Array(metres.length))
  for (const network of networks) {
    const scores = candidates.map(({ signature }) => scoresOf(network, signature))
    const highest = scores.reduce((best, row) => row.reduce((one, score) => Math.max(one, score), best), -Infinity)
    const shares = scores.map((row) => row.map((score) => Math.exp(score - highest)))
    const total = shares.reduce((all, row) => row.reduce((sum, share) => sum + share, all), 0)
    for (const [index, row] of shares.entries()) {
      const sum = sums[index] as Float64Array
      for (const [metre, share] of row.entries()) sum[metre] = (sum[metre] as number) + share / total / networks.length
    }
  }
  return sums
}

/** Chooses the likeliest tempo; undefined for a sound in which nothing comes again. */
export function chooseTempo(model: TempoModel, candidates: readonly Candidate[]): ChosenTempo | undefined {
  const shares = sharesOf(model.tempo, candidates)
  const totals = shares.map((row) => row.reduce((sum, share) => sum + share, 0))
  const place = totals.indexOf(Math.max(...totals))
  const chosen = candidates[place]
  if (chosen === undefined) return undefined
  const row = shares[place] as Float64Array
  const { bpm } = chosen
  const [beat = 0, none = 0] = scoresOf(model.beat, chosen.signature)
  return {
    bpm,
    alternative: likelierOctave(bpm, candidates, totals),
    metre: metres[row.indexOf(Math.max(...row))]?.metre ?? 4,
    share: totals[place] as number,
    beat: 1 / (1 + Math.exp(none - beat)),
  }
}

/** The likelier of half and double; the one nearer to 120 where neither was a candidate. */
function likelierOctave(bpm: number, candidates: readonly Candidate[], totals: readonly number[]): number | null {
  const scoreOf = (octave: number): number => {
    const place = candidates.findIndex((one) => Math.abs(Math.log(one.bpm / octave)) < 0.03)
    return (totals[place] ?? 0) - Math.abs(Math.log2(octave / 120)) * 1e-6
  }
  const octaves = [bpm / 2, bpm * 2].filter((one) => one >= tempoRange.slowest && one <= tempoRange.fastest)
  return octaves.sort((one, other) => scoreOf(other) - scoreOf(one))[0] ?? null
}

/** Most and least confidence of an answer. */
const sureness = { most: 0.99, least: 0.01 } as const

/** Share of the answers with such a share of the score that are right. */
export function calibrated({ calibration }: TempoModel, share: number): number {
  const place = Math.max(0, Math.min(1, share)) * (calibration.length - 1)
  const index = Math.min(calibration.length - 2, Math.floor(place))
  const [before = 0, behind = 0] = calibration.slice(index, index + 2)
  return Math.max(sureness.least, Math.min(sureness.most, before + (place - index) * (behind - before)))
}

/** The likeliest metre of a sound whose tempo is known. */
export function metreAt({ tempo }: TempoModel, candidates: readonly Candidate[], bpm: number): number {
  const distance = (one: Candidate) => Math.abs(Math.log(one.bpm / bpm))
  const [nearest] = [...candidates].sort((one, other) => distance(one) - distance(other))
  if (nearest === undefined || distance(nearest) > 0.06) return 4
  const row = sharesOf(tempo, [nearest])[0] as Float64Array
  return metres[row.indexOf(Math.max(...row))]?.metre ?? 4
}
