/** The tempo at a point in time: seconds and BPM. */
export interface TempoPoint {
  readonly at: number
  readonly bpm: number
}

/** Beats on each side that the tempo at a beat is taken of. */
const reach = 6
/** Distance of the points of a curve, seconds. */
const spacing = 4
/** Range of the tempo, as a share, from which on it drifts; less is what hands and the tracker add. */
const driftShare = 0.025

/** The mean tempo of beats, and the curve of it where it drifts. Too few beats have the tempo that is given. */
export function tempoCurve(beats: readonly number[], otherwise: number): { bpm: number; curve: TempoPoint[] } {
  if (beats.length < 2 * reach + 2) return { bpm: otherwise, curve: [] }
  const points: TempoPoint[] = []
  for (let index = reach; index < beats.length - reach; index += 1) {
    const at = beats[index] as number
    if (at >= (points.at(-1)?.at ?? -spacing) + spacing)
      points.push({ at, bpm: meanTempo(beats.slice(index - reach, index + reach + 1)) })
  }
  const sorted = points.map(({ bpm }) => bpm).sort((one, other) => one - other)
  const quantile = (share: number) => sorted[Math.round(share * (sorted.length - 1))] as number
  const isDrifting = sorted.length >= 4 && quantile(0.9) / quantile(0.1) > 1 + driftShare
  return { bpm: meanTempo(beats), curve: isDrifting ? points : [] }
}

/** The tempo of beats together, given in seconds: the slope of the line through their times. */
export function meanTempo(beats: readonly number[]): number {
  const middle = (beats.length - 1) / 2
  const mean = beats.reduce((sum, beat) => sum + beat, 0) / beats.length
  const covariance = beats.reduce((sum, beat, index) => sum + (index - middle) * (beat - mean), 0)
  const variance = beats.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  return (60 * variance) / covariance
}
