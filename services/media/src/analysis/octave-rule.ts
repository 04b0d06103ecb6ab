import { envelopeRate } from './onset-envelope.ts'
import { commonTempo, expectation } from './tempo-comb.ts'

/** Common tempi, BPM. */
const tapped = { slowest: 55, fastest: 215 } as const
/** About as many onsets lie in a beat, as `onsetDensity` counts them, and how fast fewer or more are expected less, octaves. */
const usualOnsets = { perBeat: 1.75, octaves: 1.25 } as const
/** An onset is the highest value this far around, in values of the envelope. */
const onsetReach = 3

/**
 * Chooses the octave of a tempo that is felt as the beat, and the next best: the one nearest to a common tempo and to a usual number of onsets in a
 * beat. A tempo out of reach of all of them stays.
 */
export function chooseOctave(
  bpm: number,
  onsetsPerSecond: number,
): { readonly bpm: number; readonly alternative: number | null } {
  const octaves = [-2, -1, 0, 1, 2].map((octave) => bpm * 2 ** octave)
  const ranked = octaves
    .filter((value) => value >= tapped.slowest && value <= tapped.fastest)
    .map((value) => ({ value, likely: likelihood(value, onsetsPerSecond) }))
    .sort((one, other) => other.likely - one.likely)
  return { bpm: ranked[0]?.value ?? bpm, alternative: ranked[1]?.value ?? null }
}

function likelihood(bpm: number, onsetsPerSecond: number): number {
  const onsetsPerBeat = Math.max(0.05, (onsetsPerSecond * 60) / bpm)
  return (
    expectation(bpm, commonTempo.bpm, commonTempo.octaves) *
    expectation(onsetsPerBeat, usualOnsets.perBeat, usualOnsets.octaves)
  )
}

/**
 * Calculates the onsets per second, weak ones counting less: the number of equal onsets that would spread as these do. Needs
 * no threshold, so that noise between the onsets hardly counts.
 */
export function onsetDensity(envelope: Float64Array): number {
  let [sum, squares] = [0, 0]
  for (let index = onsetReach; index < envelope.length - onsetReach; index += 1) {
    const value = envelope[index] as number
    if (value === 0 || value < peakAround(envelope, index)) continue
    sum += value
    squares += value * value
  }
  return squares === 0 ? 0 : (sum * sum) / squares / (envelope.length / envelopeRate)
}

function peakAround(envelope: Float64Array, index: number): number {
  let peak = 0
  for (let near = index - onsetReach; near <= index + onsetReach; near += 1)
    peak = Math.max(peak, envelope[near] as number)
  return peak
}

/** Tempi shown as they are; others are doubled or halved. */
export interface OctaveWindow {
  readonly slowest: number
  readonly fastest: number
}

/** Default window, BPM. */
const usualWindow: OctaveWindow = { slowest: 70, fastest: 180 }

/** A tempo this little outside stays, BPM: a track of 180 must not be 180 in one analysis and 90 in the next. */
const margin = { below: 2, above: 4 } as const

/**
 * By what to multiply a tempo to have it in the window: a power of two. The rounded tempo is compared, and a window narrower
 * than an octave leaves what would jump across it.
 */
export function foldingFactor(bpm: number, window: OctaveWindow = usualWindow): number {
  const min = window.slowest - margin.below
  const max = window.fastest + margin.above
  const isInside = (factor: number) => Math.round(bpm * factor) >= min && Math.round(bpm * factor) <= max
  return [1, 2, 0.5, 4, 0.25].find(isInside) ?? 1
}
