import { chromagram } from './chroma.ts'
import { camelotIndex, musicalKeys, type MusicalKey } from '../../music/musical-keys.ts'

/** Estimate of the key of a piece of music. */
export interface KeyEstimate {
  /** Place on the Camelot wheel, 0 for 1A to 23 for 12B; null when no key is sure enough. */
  readonly key: number | null
  /** 0 to 1. */
  readonly confidence: number
}

/** Weights of the steps of a scale from its tonic: how often and how long they are heard in the mode. */
const profiles = {
  major: [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88],
  minor: [6.33, 2.68, 3.52, 5.38, 2.6, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17],
} as const

/** A key less sure than this is not given. */
const minConfidence = 0.2

/** Estimates the key of mono samples, best at 22.05 kHz. The same samples always give the same answer. */
export function estimateKey(pieces: readonly Float32Array[], sampleRate: number): KeyEstimate {
  const rows = chromagram(pieces, sampleRate)
  const sum = Float64Array.from({ length: 12 }, (_, place) =>
    rows.reduce((all, row) => all + (row[place] as number), 0),
  )
  const scored = musicalKeys.map((key) => ({ key, fit: correlation(sum, key) })).sort((a, b) => b.fit - a.fit)
  const [best, second] = scored
  if (rows.length === 0 || best === undefined || second === undefined) return { key: null, confidence: 0 }
  const confidence = Math.max(0, Math.min(1, best.fit * 0.5 + (best.fit - second.fit) * 5))
  return confidence < minConfidence ? { key: null, confidence } : { key: camelotIndex(best.key), confidence }
}

/** Correlation of a chroma with the profile of a key, -1 to 1. */
function correlation(chroma: Float64Array, { tonic, mode }: MusicalKey): number {
  const profile = Float64Array.from({ length: 12 }, (_, place) => profiles[mode][(place - tonic + 12) % 12] ?? 0)
  const [a, b] = [centred(chroma), centred(profile)]
  const product = a.reduce((all, value, place) => all + value * (b[place] as number), 0)
  return product / (Math.sqrt(power(a) * power(b)) || 1)
}

const power = (values: Float64Array): number => values.reduce((all, value) => all + value * value, 0)

function centred(values: Float64Array): Float64Array {
  const mean = values.reduce((all, value) => all + value, 0) / values.length
  return values.map((value) => value - mean)
}
