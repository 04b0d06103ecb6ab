/** Evidence for a tempo. */
export interface Evidence {
  /** Fit of the tempo over ten seconds, see `supportOf`. */
  readonly support: number
  /** Beats as the tracker found them, in values of the envelope. */
  readonly beats: readonly number[]
  readonly envelope: Float64Array
}

/** A tempo less sure than this is no tempo. */
export const leastConfidence = 0.35

/** Growth of confidence with support: in the design set music with a beat has 0.17 of it and more, sound without 0.11 and less. */
const gain = 3
/** Growth a clear onset has, summed over the logarithms of the bands; a chord that only swells stays below a third of it. */
const clearOnset = 1

/**
 * Calculates the confidence of a tempo, 0 to 1: near 1 when everything repeats with the beat, the beats are even, and there are onsets that
 * deserve the name.
 */
export function confidenceOf({ support, beats, envelope }: Evidence): number {
  const regularity = 1 - Math.exp(-gain * Math.max(0, support))
  const evenness = Math.max(0, 1 - 2 * relativeSpread(beats))
  return regularity * evenness * Math.min(1, strongOnset(envelope) / clearOnset)
}

/** Distance of the quartiles of the beat intervals, as a share of the median; 1 when there are too few to say. */
function relativeSpread(beats: readonly number[]): number {
  const intervals = beats.slice(1).map((beat, index) => beat - (beats[index] as number))
  if (intervals.length < 4) return 1
  intervals.sort((one, other) => one - other)
  const quartile = (share: number) => intervals[Math.floor(share * (intervals.length - 1))] as number
  return (quartile(0.75) - quartile(0.25)) / quartile(0.5)
}

/** The value two in a hundred exceed. */
function strongOnset(envelope: Float64Array): number {
  return envelope.toSorted()[Math.floor(envelope.length * 0.98)] ?? 0
}
