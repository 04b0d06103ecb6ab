import { envelopeRate } from './onset-envelope.ts'

/** An onset is the highest value this far around, in values of the envelope. */
const onsetReach = 3

/**
 * Calculates the onsets per second, weak ones counting less: the number of equal onsets that would spread as these do. Needs
 * no threshold, so that noise between the onsets hardly counts.
 */
export function onsetDensity(envelope: Float64Array): number {
  let sum = 0
  let squares = 0
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

/** Tempi that are shown as they are; others are doubled or halved. */
export interface OctaveWindow {
  readonly slowest: number
  readonly fastest: number
}

/** A tempo this little outside stays, BPM: a track of 180 must not be 180 in one analysis and 90 in the next. */
const margin = { below: 2, above: 4 } as const

/**
 * By what to multiply a tempo to have it in the window: a power of two; 1 without a window. The rounded tempo is compared, and a
 * window narrower than an octave leaves what would jump across it.
 */
export function foldingFactor(bpm: number, window?: OctaveWindow): number {
  if (window === undefined) return 1
  const min = window.slowest - margin.below
  const max = window.fastest + margin.above
  const isInside = (factor: number) => Math.round(bpm * factor) >= min && Math.round(bpm * factor) <= max
  return [1, 2, 0.5, 4, 0.25].find(isInside) ?? 1
}

/** The window that the setting asks for: the octave from a tempo; none for 0. */
export const octaveFrom = (slowest: number): OctaveWindow | undefined =>
  slowest === 0 ? undefined : { slowest, fastest: slowest * 2 }
